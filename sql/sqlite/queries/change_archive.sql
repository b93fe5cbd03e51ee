-- change_archive: set aside items that wait, are assigned or have succeeded.
-- In:  rows [{ItemId, ItemFence, OldState}], reason (NULL: none was given), now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    -- include: ended_columns
FROM {{picked_rows}}
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = j.OldState
  AND State IN (0, 2, 4, 5) AND DeletedAt IS NULL;
