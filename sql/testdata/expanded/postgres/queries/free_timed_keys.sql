UPDATE "BotWorkQueueItems" SET
    "TimedKey" = NULL,
    "TimedUntil" = NULL
WHERE "TimedKey" IN (SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text))
  AND ("TimedUntil" IS NULL OR "TimedUntil" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)));
