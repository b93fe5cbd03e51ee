-- task_revise: set priorities of items that wait. An item that moved on, or whose
-- priority somebody has set meanwhile, stays as it is.
-- In:  rows [{ItemId, OldState, OldPrio, NewPrio}]
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "Priority" = j."NewPrio",
    "TaskPriority" = j."NewPrio"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "OldState" int, "OldPrio" int, "NewPrio" int)
WHERE "Id" = j."ItemId" AND CASE WHEN "State" = j."OldState" AND "Priority" = j."OldPrio"
  AND "State" IN (0, 4) AND ("TaskPriority" IS NULL OR "TaskPriority" = "Priority") THEN TRUE ELSE FALSE END;
