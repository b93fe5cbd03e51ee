UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "LogTail" = CASE WHEN "State" = 1 THEN COALESCE("LogTail", '') || CAST(@line AS text) ELSE "LogTail" END,
    "State" = 3,
    "ErrorKind" = 'cancelled',
    "Error" = CAST(@reason AS text),
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = NULL,
    "RetainUntil" = NULL
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int)
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" IN (0, 1, 4, 5) AND "DeletedAt" IS NULL THEN TRUE ELSE FALSE END
RETURNING "Id";
