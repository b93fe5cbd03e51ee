SELECT m.RuleName, m.GroupName, m.MutedUntil, m.Reason, m.MutedBy, m.MutedAt
FROM BotNotificationMutes m
WHERE m.MutedUntil > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
ORDER BY m.RuleName, m.GroupName;
