-- ready: what there is to do for a worker: items of a band that are assigned to it and
-- have not started, or that wait for a worker and are due. The conditions of claim and
-- of waiting; each part follows its own index and ends at the first row.
-- In:  worker, min_priority, max_priority, recent_ms, elsewhere_ms, now (NULL: the database clock)
-- Out: the first that holds of 3: some have become due, or were made, within recent_ms; 2: some are assigned; 1: some
--      wait; 4: none of that, but others hold some that they were given elsewhere_ms ago; 0: nothing. And in how many
--      milliseconds the next scheduled item becomes due, of any band; NULL: none does within a minute.
SELECT CASE
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > DATEADD(millisecond, -@recent_ms, {{now}}) AND i.AvailableAt <= {{now}}
      AND i.Priority BETWEEN @min_priority AND @max_priority
      {{not_over row=i.}}) THEN 3
    WHEN EXISTS (SELECT 1 FROM (SELECT l.State, l.Priority, l.QueueName, l.AvailableAt, l.DeletedAt, l.DeadlineAt, l.ExpiresAt, l.CreatedAt FROM BotWorkQueueItems l WHERE l.Id > (SELECT MAX(m.Id) FROM BotWorkQueueItems m) - 100) i
    WHERE i.State IN (0, 4) AND i.CreatedAt > DATEADD(millisecond, -@recent_ms, {{now}}) AND i.AvailableAt <= {{now}}
      AND i.Priority BETWEEN @min_priority AND @max_priority
      {{not_over row=i.}}) THEN 3
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId = @worker
      AND i.Priority BETWEEN @min_priority AND @max_priority
      -- include: may_start row=i.
      AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.State = N'active')) THEN 2
    -- include: waiting_cases
    WHEN EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.State = 5 AND i.WorkerId <> @worker AND i.AssignedAt <= DATEADD(millisecond, -@elsewhere_ms, {{now}})
      AND i.Priority BETWEEN @min_priority AND @max_priority) THEN 4
    ELSE 0 END,
    (SELECT TOP (1) DATEDIFF(millisecond, {{now}}, i.AvailableAt) FROM BotWorkQueueItems i
    WHERE i.State IN (0, 4) AND i.Scheduled = 1 AND i.AvailableAt > {{now}} AND i.AvailableAt < DATEADD(minute, 1, {{now}})
    ORDER BY i.AvailableAt);
