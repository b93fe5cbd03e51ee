-- trim_archive: remove the oldest archived items of a queue that exceed the number that it keeps.
-- In:  queue, keep, limit_rows
DELETE FROM BotWorkQueueItems
WHERE State = 3 AND DeletedAt IS NULL AND QueueName = @queue AND Id IN (
    SELECT c.Id FROM BotWorkQueueItems c
    WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = @queue
    ORDER BY c.FinishedAt DESC, c.Id DESC
    LIMIT CAST(@limit_rows AS INTEGER) OFFSET CAST(@keep AS INTEGER));
