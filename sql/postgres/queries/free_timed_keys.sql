-- free_timed_keys: free expired keys.
-- In:  rows [{Hash}], now (NULL: the database clock)
UPDATE "BotWorkQueueItems" SET
    "TimedKey" = NULL,
    "TimedUntil" = NULL
WHERE "TimedKey" IN (SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text))
  AND ("TimedUntil" IS NULL OR "TimedUntil" <= {{now}});
