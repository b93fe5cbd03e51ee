-- Waiting items, the most urgent first, with the reason why each waits. Of those that are not due,
-- the next 200. Each part uses its own index, so this is fast in a table of any size.
-- A worker takes items if it is active, not gated, sends heartbeats, and holds no item of the
-- same urgency: medium and high items count together, low ones do not count.
WITH waiting AS (
    SELECT p.Id
    FROM (SELECT i.Id FROM BotWorkQueueItems i
        WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL
        ORDER BY i.Priority DESC, i.Id LIMIT 200) p
    UNION ALL
    SELECT p.Id
    FROM (SELECT i.Id FROM BotWorkQueueItems i
        WHERE i.State IN (0, 4) AND i.Scheduled = 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL
        ORDER BY i.Priority DESC, i.DeadlineAt, i.Id LIMIT 200) p
    UNION ALL
    SELECT p.Id
    FROM (SELECT i.Id FROM BotWorkQueueItems i
        WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.DeletedAt IS NULL
        ORDER BY i.AvailableAt LIMIT 200) p
    UNION ALL
    SELECT i.Id FROM BotWorkQueueItems i WHERE i.State = 5 AND i.DeletedAt IS NULL
), held AS (
    SELECT p.WorkerId, MAX(p.Priority) AS Highest
    FROM (SELECT i.WorkerId, i.Priority FROM BotWorkQueueItems i WHERE i.State = 5
        UNION ALL
        SELECT i.WorkerId, i.Priority FROM BotWorkQueueItems i WHERE i.State = 1) p
    GROUP BY p.WorkerId
)
SELECT i.Id, i.Priority, i.Band, i.StateName, i.Pipeline, i.QueueName, i.AvailableAt, i.DeadlineAt, i.RetryCount, i.WorkerName,
    CASE
        WHEN i.State = 5 AND EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.Name = i.WorkerName AND w.State = 'active' AND w.Gate IS NULL AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now'))
            THEN 'assigned: waits for a free slot of its worker'
        WHEN i.State = 5 THEN 'assigned to a worker that is gone: the next assignment pass takes it back'
        WHEN i.AvailableAt > strftime('%Y-%m-%d %H:%M:%f', 'now') AND i.RetryCount > 0 THEN 'failed: waits for its next attempt at AvailableAt'
        WHEN i.AvailableAt > strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'not due until AvailableAt'
        WHEN q.Paused = 1 THEN 'its queue is paused'
        WHEN q.Consumer = 'robots' THEN 'due: waits for a robot to take it'
        WHEN NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.State = 'active' AND w.Gate IS NULL AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now')) AND EXISTS (SELECT 1
            FROM BotWorkers w
            WHERE w.State = 'active' AND w.Gate IS NOT NULL AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now'))
            THEN 'the machine of every worker is short of a resource: see Gate in BotWorkers'
        WHEN NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.State = 'active' AND w.Gate IS NULL AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now'))
            THEN 'no worker takes items: start one'
        WHEN NOT EXISTS (SELECT 1 FROM BotWorkers w
            WHERE w.State = 'active' AND w.Gate IS NULL AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now')
              AND NOT EXISTS (SELECT 1 FROM held h
                  WHERE h.WorkerId = w.Id AND h.Highest >= CASE WHEN i.Priority >= 500 THEN 500 ELSE -2147483648 END))
            THEN 'every worker is busy with items as urgent as this or more'
        WHEN q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL
            THEN 'due: waits for the next run of its pipeline, and for a place under the limits of its queue'
        WHEN i.Priority < 500 THEN 'due: waits for the next run of ExecuteLowPriorityWorkQueue, every three hours'
        ELSE 'due: waits for the next run of ExecuteWorkQueue, every minute'
    END AS Why
FROM waiting n
JOIN BotWorkQueueItemsView i ON i.Id = n.Id
JOIN BotQueues q ON q.Name = i.QueueName
ORDER BY i.Priority DESC, CASE WHEN i.DeadlineAt IS NULL THEN 1 ELSE 0 END, i.DeadlineAt, i.Id
LIMIT 200;
