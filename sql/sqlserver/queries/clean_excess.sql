-- clean_excess: the oldest archived items of a queue that exceed the number that it keeps.
-- In:  queue, keep, limit_rows
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- A kept item that is locked is not counted: then fewer items are removed, never more.
SELECT c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = CAST(@queue AS NVARCHAR(450)) AND c.Id IN (
    SELECT e.Id FROM BotWorkQueueItems e WITH (READPAST, READCOMMITTEDLOCK)
    WHERE e.State = 3 AND e.DeletedAt IS NULL AND e.QueueName = CAST(@queue AS NVARCHAR(450))
    ORDER BY e.FinishedAt DESC, e.Id DESC
    OFFSET @keep ROWS FETCH NEXT @limit_rows ROWS ONLY);
