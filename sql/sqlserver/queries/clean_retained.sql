-- clean_retained: completed items whose retention has ended.
-- In:  limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- include: clean_columns
FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE c.State = 2 AND c.DeletedAt IS NULL AND c.RetainUntil IS NOT NULL AND c.RetainUntil <= {{now}}
ORDER BY c.RetainUntil, c.Id;
