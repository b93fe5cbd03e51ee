-- trim_archive: remove the oldest archived items of a queue that exceed the number that it keeps.
-- In:  queue, keep, limit_rows
DELETE FROM BotWorkQueueItems
WHERE State = 3 AND DeletedAt IS NULL AND QueueName = CAST(@queue AS NVARCHAR(450)) AND Id IN (
    SELECT c.Id FROM BotWorkQueueItems c
    WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = CAST(@queue AS NVARCHAR(450))
    ORDER BY c.FinishedAt DESC, c.Id DESC
    OFFSET @keep ROWS FETCH NEXT @limit_rows ROWS ONLY);
