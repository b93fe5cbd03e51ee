-- promote: put items that have become due with those that are due when they are written:
-- many of them would be read and sorted by each pass. What others are changing is left
-- to the next time.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE BotWorkQueueItems SET Scheduled = 0
WHERE State IN (0, 4) AND Scheduled = 1 AND Id IN (
    SELECT TOP (@limit_rows) c.Id
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State IN (0, 4) AND c.Scheduled = 1 AND c.AvailableAt <= {{now}}
    ORDER BY c.AvailableAt);
