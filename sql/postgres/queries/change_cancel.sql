-- change_cancel: end items that wait, are assigned or run. What a run writes afterwards is refused,
-- and its worker then stops it.
-- In:  rows [{ItemId, ItemFence, OldState}], reason (NULL: none was given), line (added to the logs of runs), now (NULL: the database clock)
-- Out: ids of what changed.
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "LogTail" = CASE WHEN "State" = 1 THEN COALESCE("LogTail", '') || CAST(@line AS text) ELSE "LogTail" END,
    -- include: ended_columns
FROM {{picked_rows}}
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" IN (0, 1, 4, 5) AND "DeletedAt" IS NULL THEN TRUE ELSE FALSE END
RETURNING "Id";
