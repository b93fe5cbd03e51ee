-- promote: mark scheduled items that are now due like items that were due when they were written:
-- otherwise each pass would read and sort many of them. Items that are locked are left to the next
-- call.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE t SET Scheduled = 0
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State IN (0, 4) AND Scheduled = 1 AND Id IN (
    SELECT TOP (@limit_rows) c.Id
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State IN (0, 4) AND c.Scheduled = 1 AND c.AvailableAt <= {{now}}
    ORDER BY c.AvailableAt);
