-- change_repeat: run finished items, also deleted ones, again as if they were new. They keep their
-- fences. For other systems each is new work, so it gets a new idempotency key. With BegunFence 0
-- the log of starts keeps the last start, which would otherwise count as given back.
-- In:  rows [{ItemId, ItemFence, OldState, Hidden, TakesKey, NewKey}] (see revived_rows), now (NULL: the database clock)
-- CASE has the rows found by their keys, as in take.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "RetryCount" = 0,
    "ReleaseCount" = 0,
    "AvailableAt" = {{now}},
    "Scheduled" = FALSE,
    "WorkerId" = NULL,
    "LeaseExpiresAt" = NULL,
    "AssignedAt" = NULL,
    "RunOrder" = 0,
    "AssignedEstimateMs" = NULL,
    "Channel" = NULL,
    "Robot" = NULL,
    "LockKey" = NULL,
    "FirstStartedAt" = NULL,
    "BegunFence" = 0,
    "StartedAt" = NULL,
    "FinishedAt" = NULL,
    "Output" = NULL,
    "Analytics" = NULL,
    "Progress" = NULL,
    "ProgressPercent" = NULL,
    "Step" = NULL,
    "LogTail" = NULL,
    "StepTimes" = NULL,
    "PipelineHash" = NULL,
    "Error" = NULL,
    "ErrorKind" = NULL,
    "RetainUntil" = NULL,
    "DeletedAt" = NULL,
    "DeletedReason" = NULL,
    "IdempotencyKey" = {{random_key}},
    "UniqueKey" = CASE WHEN j."TakesKey" = 1 THEN j."NewKey" ELSE "UniqueKey" END,
    "DeadlineAt" = COALESCE({{if_ahead column="DeadlineAt"}}, {{if_ahead column="FinishBy"}}),
    "FinishBy" = {{if_ahead column="FinishBy"}},
    "ExpiresAt" = {{if_ahead column="ExpiresAt"}}
FROM {{revived_rows}}
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" IN (2, 3) AND j."Hidden" = CASE WHEN "DeletedAt" IS NULL THEN 0 ELSE 1 END THEN TRUE ELSE FALSE END;
