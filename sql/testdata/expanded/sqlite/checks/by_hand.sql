SELECT h.Id, h.QueueName, h.NaturalKey, h.CreatedAt, h.OtherId
FROM (
    SELECT i.Id, i.QueueName, i.NaturalKey, i.CreatedAt, 0 AS OtherId
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.PoliciesApplied = 0 AND i.Fence = 0 AND i.DeletedAt IS NULL AND i.CreatedAt < @before
    UNION ALL
    SELECT i.Id, i.QueueName, i.NaturalKey, i.CreatedAt, (SELECT MIN(o.Id) FROM BotWorkQueueItems o WHERE o.NaturalKey = i.NaturalKey AND o.QueueName = i.QueueName AND o.Id <> i.Id AND o.DeletedAt IS NULL) AS OtherId
    FROM BotWorkQueueItems i
    JOIN BotQueues q ON q.Name = i.QueueName AND q.KeyScope <> 'none' AND (q.UpdatedAt IS NULL OR i.CreatedAt > q.UpdatedAt)
    WHERE i.State IN (0, 1, 4, 5) AND i.NaturalKey IS NOT NULL AND i.UniqueKey IS NULL AND i.DeletedAt IS NULL AND i.CreatedAt < @before
) h
WHERE h.OtherId IS NOT NULL
ORDER BY h.Id, h.OtherId
LIMIT @limit_rows;
