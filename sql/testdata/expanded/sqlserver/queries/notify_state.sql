SELECT s.Version, s.EvaluatedAt, s.EvaluatedBy, s.Positions, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotNotificationState s
WHERE s.Id = 1;
