UPDATE BotNotificationState SET
    Version = Version + 1,
    EvaluatedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    EvaluatedBy = @by,
    Positions = @positions
WHERE Id = 1 AND Version = @version;
