-- clean_archived: archived items of a queue that have come to an age.
-- In:  queue, age_ms, limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 for a deleted one, attempts; the rows are locked.
SELECT TOP (@limit_rows) c.Id, c.Fence, c.State, CASE WHEN c.DeletedAt IS NULL THEN 0 ELSE 1 END,
    (SELECT COUNT(*) FROM BotWorkItemAttempts a WHERE a.ItemId = c.Id)
FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = CAST(@queue AS NVARCHAR(450))
  AND c.FinishedAt <= {{now_minus ms=@age_ms}}
ORDER BY c.FinishedAt, c.Id;
