-- stat_levels: the recorded numbers of ended items, and how often they were recounted (kind
-- recount).
-- Out: queue, kind, level, events.
SELECT s."QueueName", s."Kind", CAST(SUM(s."Level") AS bigint), CAST(SUM(s."Events") AS bigint)
FROM "BotQueueStats" s
GROUP BY s."QueueName", s."Kind";
