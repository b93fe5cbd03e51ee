-- stat_unfinished: the items that wait, are assigned or run. They are counted;
-- each part follows its index, so that what has ended costs nothing. No fence is below 0,
-- but the indexes of all that waits ask for it.
-- In:  now (NULL: the database clock)
-- Out: queue, state, lifecycle, number, and the earliest time at which one of those became due.
SELECT u.QueueName, u.State, u.Life, COUNT(*), MIN(u.AvailableAt)
FROM (
    SELECT i.QueueName, i.State, i.AvailableAt, CASE WHEN i.AvailableAt <= {{now}} THEN 'pending' WHEN i.RetryCount > 0 THEN 'retry' ELSE 'scheduled' END AS Life
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, CASE WHEN i.AvailableAt <= {{now}} THEN 'pending' WHEN i.RetryCount > 0 THEN 'retry' ELSE 'scheduled' END AS Life
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, 'assigned' AS Life
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, 'active' AS Life
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) u
GROUP BY u.QueueName, u.State, u.Life;
