-- gauge_now: the due items that wait, and the running items, by queue and band. Each part uses its
-- index, so that ended items cost nothing. No fence is below 0, but the indexes of waiting items need the
-- condition.
-- In:  now (NULL: the database clock)
-- Out: queue, band, number of waiting ones, since when the oldest is due, number of running ones.
SELECT u.QueueName, u.Band, SUM(u.Waits), CAST(MIN(u.DueAt) AS TEXT), SUM(u.Runs)
FROM (
    SELECT i.QueueName, {{band_of priority=i.Priority}} AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= {{now_once}}
    UNION ALL
    SELECT i.QueueName, {{band_of priority=i.Priority}} AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= {{now_once}}
    UNION ALL
    SELECT i.QueueName, {{band_of priority=i.Priority}} AS Band, 1 AS Waits, i.AvailableAt AS DueAt, 0 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, {{band_of priority=i.Priority}} AS Band, 0 AS Waits, NULL AS DueAt, 1 AS Runs
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) u
GROUP BY u.QueueName, u.Band;
