-- ready: what a worker can do: items of a band that are assigned to it and have not started, or
-- that wait for a worker and are due. It has the conditions of claim and of waiting; each part uses
-- its own index and ends at the first row.
-- In:  worker, min_priority, max_priority, recent_ms, elsewhere_ms, now (NULL: the database clock)
-- Out: the first that applies of 3: items have become due, or were inserted, within recent_ms; 2:
--      items are assigned; 1: items wait; 4: none of these, but other workers hold items that were
--      assigned elsewhere_ms ago; 0: nothing. And in how many milliseconds the next scheduled item
--      of any band becomes due; NULL: none within a minute.
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.Scheduled = 1 AND i.AvailableAt > DATEADD(millisecond, -@recent_ms, {{now}}) AND i.AvailableAt <= {{now}}
      AND i.Priority BETWEEN @min_priority AND @max_priority
      {{not_over row=i.}}) THEN 3
    WHEN EXISTS (SELECT 1 FROM (SELECT l.State, l.Priority, l.QueueName, l.AvailableAt, l.DeletedAt, l.DeadlineAt, l.ExpiresAt, l.CreatedAt, l.BatchKey FROM BotWorkQueueItems l WITH (READPAST, READCOMMITTEDLOCK) WHERE l.Id > (SELECT MAX(m.Id) FROM BotWorkQueueItems m WITH (READPAST, READCOMMITTEDLOCK)) - 100) i
    WHERE i.State IN (0, 4) AND i.BatchKey IS NULL AND i.CreatedAt > DATEADD(millisecond, -@recent_ms, {{now}}) AND i.AvailableAt <= {{now}}
      AND i.Priority BETWEEN @min_priority AND @max_priority
      {{not_over row=i.}}) THEN 3
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.Priority BETWEEN @min_priority AND @max_priority
      -- include: may_start row=i.
      AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.State = N'active')) THEN 2
    -- include: waiting_cases
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State = 5 AND i.WorkerId <> @worker AND i.AssignedAt <= DATEADD(millisecond, -@elsewhere_ms, {{now}})
      AND i.Priority BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT TOP (1) DATEDIFF(millisecond, {{now}}, i.AvailableAt) FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > {{now}} AND i.AvailableAt < DATEADD(minute, 1, {{now}})
    ORDER BY i.AvailableAt);
