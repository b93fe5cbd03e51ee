-- stranded: items that no worker runs or will run: running items whose lease has ended, assigned
-- items whose worker has stopped or takes none now, and items assigned to this worker that it may start.
-- In:  worker, now (NULL: the database clock)
-- Out: the lowest and the highest priority among them; NULL when there is none.
SELECT MIN(s.Priority), MAX(s.Priority)
FROM (
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < {{now}})
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId = @worker
      -- include: may_start row=i.
    UNION ALL
    SELECT i.Priority
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId IN (
        SELECT w.Id
        FROM BotWorkers w
        WHERE w.State <> N'active' OR w.Gate IS NOT NULL OR w.LeaseExpiresAt < {{now}})
) s;
