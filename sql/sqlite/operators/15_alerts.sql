-- Alerts of notification rules, those that are firing first. A mute is for one group, or for the
-- whole rule. EvaluatedAt is when a worker last evaluated the rules: if it is more than a few
-- minutes ago, no alert is up to date.
SELECT a.RuleName, a.GroupName, a.State, a.StartedAt, a.LastAt, a.EndedAt, a.SentAt, a.Events,
    m.MutedUntil, m.MutedBy, m.Reason AS MuteReason, s.EvaluatedAt, s.EvaluatedBy
FROM BotAlerts a
CROSS JOIN BotNotificationState s
LEFT JOIN BotNotificationMutes m ON m.RuleName = a.RuleName AND m.GroupName IN ('', a.GroupName) AND m.MutedUntil > strftime('%Y-%m-%d %H:%M:%f', 'now')
    AND NOT EXISTS (SELECT 1 FROM BotNotificationMutes o
        WHERE o.RuleName = a.RuleName AND o.GroupName IN ('', a.GroupName) AND (o.MutedUntil > m.MutedUntil OR o.MutedUntil = m.MutedUntil AND o.Id > m.Id))
ORDER BY CASE a.State WHEN 'firing' THEN 0 WHEN 'pending' THEN 1 ELSE 2 END, a.LastAt DESC, a.Id;
