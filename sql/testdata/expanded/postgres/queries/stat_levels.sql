SELECT s."QueueName", s."Kind", CAST(SUM(s."Level") AS bigint), CAST(SUM(s."Events") AS bigint)
FROM "BotQueueStats" s
GROUP BY s."QueueName", s."Kind";
