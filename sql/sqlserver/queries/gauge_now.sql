-- gauge_now: the due items that wait, and the running items, by queue, pipeline, band and worker. Each part uses
-- its index, so that ended items cost nothing; of waiting items it reads entries of indexes, no rows. No fence is below 0, but the
-- indexes of waiting items need the condition. Each part is grouped by itself: PostgreSQL knows how many groups a table
-- has, but not a union, and would sort a million rows on disk.
-- In:  now (NULL: the database clock)
-- Out: queue, pipeline, band, name of the worker that has them (empty: none), number of waiting ones, since when the
--      oldest is due, number of running ones.
SELECT u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, N''), SUM(u.Waits), MIN(u.DueAt), SUM(u.Runs)
FROM (
        SELECT i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band, CAST(NULL AS BIGINT) AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= {{now}}
        GROUP BY i.QueueName, i.PipelineName, {{band_of priority=i.Priority}}
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band, CAST(NULL AS BIGINT) AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.DeletedAt IS NULL AND i.AvailableAt <= {{now}}
        GROUP BY i.QueueName, i.PipelineName, {{band_of priority=i.Priority}}
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band, i.WorkerId AS WorkerId,
            COUNT_BIG(*) AS Waits, MIN(i.AvailableAt) AS DueAt, CAST(0 AS BIGINT) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State = 5 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, i.PipelineName, {{band_of priority=i.Priority}}, i.WorkerId
        UNION ALL
        SELECT i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band, i.WorkerId AS WorkerId,
            CAST(0 AS BIGINT) AS Waits, CAST(NULL AS DATETIME2(3)) AS DueAt, COUNT_BIG(*) AS Runs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
        WHERE i.State = 1 AND i.DeletedAt IS NULL
        GROUP BY i.QueueName, i.PipelineName, {{band_of priority=i.Priority}}, i.WorkerId
    ) u
LEFT JOIN BotWorkers w ON w.Id = u.WorkerId
GROUP BY u.QueueName, u.Pipeline, u.Band, COALESCE(w.Name, N'');
