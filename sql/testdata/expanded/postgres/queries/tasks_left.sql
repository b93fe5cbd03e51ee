UPDATE "BotTasks" SET
    "Active" = FALSE,
    "Definition" = NULL,
    "Revision" = "Revision" + 1,
    "DefinedBy" = @by,
    "UpdatedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Definition" IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM json_to_recordset(CAST(@rows AS json)) AS j("Task" text) WHERE j."Task" = "BotTasks"."Name")
RETURNING "Name";
