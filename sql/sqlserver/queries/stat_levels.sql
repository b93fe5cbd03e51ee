-- stat_levels: the recorded numbers of ended items, and how often they were recounted (kind
-- recount).
-- Out: queue, kind, level, events.
SELECT s.QueueName, s.Kind, SUM(s.Level), SUM(s.Events)
FROM BotQueueStats s
GROUP BY s.QueueName, s.Kind;
