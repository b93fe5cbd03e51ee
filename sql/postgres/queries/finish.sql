-- finish: record the ends of runs.
-- In:  worker, instance, rows [{ItemId, ItemFence, NewState, Failures, DelayMs, NewOutput, ErrorText, Kind,
--      NewStep, NewProgress, NewPercent, NewTail, NewAnalytics, KeepMs, Hidden}], now (NULL: the database clock)
-- Out: ids and fences of what was changed, with the queue, and when the run began and
--      ended; the others had lost their lease.
UPDATE "BotWorkQueueItems" SET
    "State" = j."NewState",
    "RetryCount" = j."Failures",
    "WorkerId" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."WorkerId" END,
    "AssignedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE "BotWorkQueueItems"."AssignedAt" END,
    "AvailableAt" = CASE WHEN j."NewState" = 0 THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DelayMs" * INTERVAL '1 millisecond' ELSE "BotWorkQueueItems"."AvailableAt" END,
    "FinishedAt" = CASE WHEN j."NewState" = 0 THEN NULL ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "LeaseExpiresAt" = NULL,
    "Output" = j."NewOutput",
    "Analytics" = COALESCE(j."NewAnalytics", "BotWorkQueueItems"."Analytics"),
    "Step" = CASE WHEN j."NewState" <> 2 THEN COALESCE(j."NewStep", "BotWorkQueueItems"."Step") END,
    "Progress" = COALESCE(j."NewProgress", "BotWorkQueueItems"."Progress"),
    "ProgressPercent" = COALESCE(j."NewPercent", "BotWorkQueueItems"."ProgressPercent"),
    "LogTail" = CASE WHEN j."NewState" <> 2 THEN COALESCE(j."NewTail", "BotWorkQueueItems"."LogTail") END,
    "Error" = j."ErrorText",
    "ErrorKind" = j."Kind",
    "RetainUntil" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."KeepMs" * INTERVAL '1 millisecond',
    "DeletedAt" = CASE WHEN j."Hidden" = 1 THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) ELSE "BotWorkQueueItems"."DeletedAt" END,
    "DeletedReason" = CASE WHEN j."Hidden" = 1 THEN substr(j."ErrorText", 1, 1000) ELSE "BotWorkQueueItems"."DeletedReason" END
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "NewState" int, "Failures" int, "DelayMs" bigint, "NewOutput" text, "ErrorText" text,
    "Kind" text, "NewStep" text, "NewProgress" text, "NewPercent" int, "NewTail" text, "NewAnalytics" text, "KeepMs" bigint, "Hidden" int)
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence", "QueueName", "StartedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
