-- ended_count: count the items that have ended or are deleted. Each part follows an
-- index that holds little else, and those of the first and the third are in the
-- order of queues: no row is read, and nothing is sorted, for most of what has ended.
-- Out: queue, state, 1 for deleted ones, number; several rows may be for the same.
SELECT i.QueueName, 2, 0, COUNT(*)
FROM BotWorkQueueItems i
WHERE i.State = 2 AND i.RetainUntil IS NULL AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, 2, 0, COUNT(*)
FROM BotWorkQueueItems i
WHERE i.State = 2 AND i.RetainUntil IS NOT NULL AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, 3, 0, COUNT(*)
FROM BotWorkQueueItems i
WHERE i.State = 3 AND i.DeletedAt IS NULL
GROUP BY i.QueueName
UNION ALL
SELECT i.QueueName, i.State, 1, COUNT(*)
FROM BotWorkQueueItems i
WHERE i.DeletedAt IS NOT NULL
GROUP BY i.QueueName, i.State;
