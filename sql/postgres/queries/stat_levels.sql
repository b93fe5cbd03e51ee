-- stat_levels: how many items have ended, as it is kept, and how often they
-- were counted anew (kind recount).
-- Out: queue, kind, level, events.
SELECT s."QueueName", s."Kind", CAST(SUM(s."Level") AS bigint), CAST(SUM(s."Events") AS bigint)
FROM "BotQueueStats" s
GROUP BY s."QueueName", s."Kind";
