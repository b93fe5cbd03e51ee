-- trim_archive: remove the oldest archived items of a queue that exceed the number that it keeps.
-- Rows that another session holds are left to the next call: the end of a run calls it.
-- In:  queue, keep, limit_rows
DELETE t
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 3 AND DeletedAt IS NULL AND QueueName = CAST(@queue AS NVARCHAR(450)) AND Id IN (
    SELECT c.Id FROM BotWorkQueueItems c WITH (READPAST, READCOMMITTEDLOCK)
    WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = CAST(@queue AS NVARCHAR(450))
    ORDER BY c.FinishedAt DESC, c.Id DESC
    OFFSET @keep ROWS FETCH NEXT @limit_rows ROWS ONLY);
