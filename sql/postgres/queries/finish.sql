-- finish: record the ends of runs.
-- In:  worker, rows [{ItemId, ItemFence, NewState, Failures, DelayMs, NewOutput, ErrorText, Kind}], now (NULL: the database clock)
-- Out: ids and fences of what was changed; the others had lost their lease.
UPDATE "BotWorkQueueItems" SET
    "State" = j."NewState",
    "RetryCount" = j."Failures",
    "WorkerId" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."WorkerId" END,
    "AssignedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."AssignedAt" END,
    "AvailableAt" = CASE WHEN j."NewState" = 0 THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DelayMs" * INTERVAL '1 millisecond' ELSE "BotWorkQueueItems"."AvailableAt" END,
    "FinishedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "LeaseExpiresAt" = NULL,
    "Output" = j."NewOutput",
    "Error" = j."ErrorText",
    "ErrorKind" = j."Kind"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "NewState" int, "Failures" int, "DelayMs" bigint, "NewOutput" text, "ErrorText" text,
    "Kind" text)
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker
RETURNING "Id", "Fence";
