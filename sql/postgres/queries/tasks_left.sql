-- tasks_left: set tasks inactive that a file had defined and this one does not. Those
-- that a hand has made have no definition.
-- In:  rows [{Task}]: what the file has, by, now (NULL: the database clock)
-- Out: the names of those that changed.
UPDATE "BotTasks" SET
    "Active" = FALSE,
    "Definition" = NULL,
    "Revision" = "Revision" + 1,
    "DefinedBy" = @by,
    "UpdatedAt" = {{now}}
WHERE "Definition" IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@rows AS json)) AS j("Task" text) WHERE j."Task" = "BotTasks"."Name")
RETURNING "Name";
