-- clean_completed: completed items of a queue that have no retention of their own and have reached
-- an age.
-- In:  queue, age_ms, limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- include: clean_columns
FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE c.State = 2 AND c.RetainUntil IS NULL AND c.DeletedAt IS NULL AND c.QueueName = CAST(@queue AS NVARCHAR(450))
  AND c.FinishedAt <= {{now_minus ms=@age_ms}}
ORDER BY c.FinishedAt, c.Id;
