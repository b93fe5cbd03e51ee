-- task_revise: set the priorities of waiting items. An item that no longer waits, or whose priority
-- was changed meanwhile, does not change.
-- In:  rows [{ItemId, OldState, OldPrio, NewPrio}]
-- CASE makes PostgreSQL find the rows by key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "OldState" int, "OldPrio" int, "NewPrio" int)
    -- include: lock_rows condition=i."State" = r."OldState"
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Priority" = j."NewPrio",
    "TaskPriority" = j."NewPrio"
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "State" = j."OldState" AND "Priority" = j."OldPrio"
  AND "State" IN (0, 4) AND ("TaskPriority" IS NULL OR "TaskPriority" = "Priority") THEN TRUE ELSE FALSE END;
