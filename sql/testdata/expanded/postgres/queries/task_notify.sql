UPDATE "BotWorkQueueItems" SET
    "TaskNotifiedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE CASE WHEN "State" = 3 AND "TaskNotifiedAt" IS NULL THEN TRUE ELSE FALSE END
  AND "Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint))
RETURNING "Id";
