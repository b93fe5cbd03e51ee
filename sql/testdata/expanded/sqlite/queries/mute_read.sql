SELECT m.RuleName, m.GroupName, m.MutedUntil, m.Reason, m.MutedBy, m.MutedAt
FROM BotNotificationMutes m
WHERE m.MutedUntil > COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
ORDER BY m.RuleName, m.GroupName;
