-- stat_levels: how many items have ended, as it is kept, and how often they
-- were counted anew (kind recount).
-- Out: queue, kind, level, events.
SELECT s.QueueName, s.Kind, SUM(s.Level), SUM(s.Events)
FROM BotQueueStats s
GROUP BY s.QueueName, s.Kind;
