-- stat_unfinished: count the waiting, assigned and running items. Each part uses its index, so that
-- ended items cost nothing. No fence is below 0, but the indexes of waiting items need the
-- condition.
-- In:  now (NULL: the database clock)
-- Out: queue, state, lifecycle, number, and the earliest time at which one of those became due.
SELECT u.QueueName, u.State, u.Life, COUNT_BIG(*), MIN(u.AvailableAt)
FROM (
    SELECT i.QueueName, i.State, i.AvailableAt, CASE WHEN i.AvailableAt <= {{now}} THEN N'pending' WHEN i.RetryCount > 0 THEN N'retry' ELSE N'scheduled' END AS Life
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, CASE WHEN i.AvailableAt <= {{now}} THEN N'pending' WHEN i.RetryCount > 0 THEN N'retry' ELSE N'scheduled' END AS Life
    FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, N'assigned' AS Life
    FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.DeletedAt IS NULL
    UNION ALL
    SELECT i.QueueName, i.State, i.AvailableAt, N'active' AS Life
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.DeletedAt IS NULL
) u
GROUP BY u.QueueName, u.State, u.Life;
