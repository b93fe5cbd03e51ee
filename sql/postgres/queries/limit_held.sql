-- limit_held: the assigned and running items of queues that limit them. Two halves, so that each
-- uses its index and reads only held items.
-- Items that run together count as one.
-- Out: queue, key, items; there may be several rows for a queue and key.
SELECT q."Name", i."LimitKey", COUNT(*)
FROM "BotWorkQueueItems" i JOIN "BotQueues" q ON q."Name" = i."QueueName"
WHERE i."State" = 5 AND (q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL)
GROUP BY q."Name", i."LimitKey"
UNION ALL
SELECT q."Name", i."LimitKey", COUNT(*)
FROM "BotWorkQueueItems" i JOIN "BotQueues" q ON q."Name" = i."QueueName"
WHERE i."State" = 1 AND (i."BatchLeaderId" IS NULL OR i."BatchLeaderId" = i."Id") AND (q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL)
GROUP BY q."Name", i."LimitKey";
