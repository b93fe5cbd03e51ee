UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 3,
    "ErrorKind" = 'expired',
    "Error" = CASE WHEN "FinishBy" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN CAST(@finish_text AS text) WHEN "DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN CAST(@deadline_text AS text) ELSE CAST(@life_text AS text) END,
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = NULL
WHERE "Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint))
  AND CASE WHEN "State" IN (0, 4, 5) AND "DeletedAt" IS NULL
    AND ("DeadlineAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) OR "ExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) THEN TRUE ELSE FALSE END
RETURNING "Id";
