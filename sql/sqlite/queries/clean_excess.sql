-- clean_excess: the oldest archived items of a queue that exceed the number that it keeps.
-- In:  queue, keep, limit_rows
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- include: clean_columns
FROM BotWorkQueueItems c
WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = @queue AND c.Id IN (
    SELECT e.Id FROM BotWorkQueueItems e
    WHERE e.State = 3 AND e.DeletedAt IS NULL AND e.QueueName = @queue
    ORDER BY e.FinishedAt DESC, e.Id DESC
    LIMIT CAST(@limit_rows AS INTEGER) OFFSET CAST(@keep AS INTEGER));
