-- change_hide: delete items logically, if the policy of their queue says so; never a running one.
-- Items that waited end, so that the indexes of waiting items hold no deleted ones. The natural key
-- is free again, unless the queue counts deleted items.
-- In:  rows [{ItemId, ItemFence, OldState}], reason (NULL: none was given), now (NULL: the database clock),
--      natural_key (NULL: any; else only items with this key), author (NULL: anybody; else only items that it created)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN State IN (0, 4, 5) THEN 3 ELSE State END,
    FinishedAt = COALESCE(FinishedAt, {{now}}),
    LeaseExpiresAt = NULL,
    UniqueKey = CASE WHEN EXISTS (SELECT 1 FROM BotQueues q
        WHERE q.Name = BotWorkQueueItems.QueueName AND q.DeletedKeysCount = 1) THEN UniqueKey END,
    DeletedAt = {{now}},
    DeletedReason = @reason
WHERE Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM {{picked_rows}}
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence AND j.OldState = BotWorkQueueItems.State)
  AND State <> 1 AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.Deletion = N'logical')
  AND (@natural_key IS NULL OR NaturalKey = CAST(@natural_key AS NVARCHAR(450)))
  AND (@author IS NULL OR CreatedBy = CAST(@author AS NVARCHAR(450)));
