-- change_archive: set aside items that wait, are assigned or have succeeded.
-- In:  rows [{ItemId, ItemFence, OldState}], reason (NULL: none was given), now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    -- include: ended_columns
WHERE Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM {{picked_rows}}
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence AND j.OldState = BotWorkQueueItems.State)
  AND State IN (0, 2, 4, 5) AND DeletedAt IS NULL;
