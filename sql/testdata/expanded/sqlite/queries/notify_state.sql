SELECT s.Version, s.EvaluatedAt, s.EvaluatedBy, s.Positions, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM BotNotificationState s
WHERE s.Id = 1;
