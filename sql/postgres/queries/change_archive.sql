-- change_archive: set aside items that wait, are assigned or have succeeded.
-- In:  rows [{ItemId, ItemFence, OldState}], reason (NULL: none was given), now (NULL: the database clock)
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    -- include: ended_columns
FROM {{picked_rows}}
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" IN (0, 2, 4, 5) AND "DeletedAt" IS NULL THEN TRUE ELSE FALSE END;
