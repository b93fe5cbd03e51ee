-- clean_archived: archived items of a queue that have reached an age.
-- In:  queue, age_ms, limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- include: clean_columns
FROM BotWorkQueueItems c
WHERE c.State = 3 AND c.DeletedAt IS NULL AND c.QueueName = @queue
  AND c.FinishedAt <= {{now_minus ms=@age_ms}}
ORDER BY c.FinishedAt, c.Id
LIMIT CAST(@limit_rows AS INTEGER);
