-- alert_read: all alerts.
-- Out: rule, group, state, start, time of the latest event, end (NULL: not over), time of the latest message (NULL:
--      none), events, occurrence, memory.
SELECT a.RuleName, a.GroupName, a.State, a.StartedAt, a.LastAt, a.EndedAt, a.SentAt, a.Events, a.Occurrence, a.Memory
FROM BotAlerts a;
