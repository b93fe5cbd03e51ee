-- clean_steps: remove records of steps of items that have succeeded.
-- In:  limit_rows
DELETE t
FROM BotWorkItemSteps t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE EXISTS (SELECT 1 FROM (
    SELECT TOP (@limit_rows) c.ItemId, c.Step FROM BotWorkItemSteps c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    JOIN BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK) ON i.Id = c.ItemId
    WHERE i.State = 2
    ORDER BY c.ItemId, c.Number) p
    WHERE p.ItemId = t.ItemId AND p.Step = t.Step);
