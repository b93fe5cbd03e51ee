-- clean_deleted: logically deleted items that have reached an age. Waiting and running items that
-- were marked as deleted by hand do not count.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- include: clean_columns
FROM BotWorkQueueItems c
WHERE c.DeletedAt IS NOT NULL AND c.DeletedAt <= {{now_minus ms=@age_ms}} AND c.State IN (2, 3)
ORDER BY c.DeletedAt, c.Id
LIMIT CAST(@limit_rows AS INTEGER);
