-- Run a finished item again from its first attempt. Changes one row, or none if the
-- item is not finished. `botwork items repeat 1` does the same and updates the queue's
-- statistics. After this statement, run `botwork queues stats --recount`.
-- If the pipeline has resume, the item goes on where it failed, unless its rows of
-- BotWorkItemSteps are deleted.
-- In a transaction of your own, commit at once: until then no worker touches the item, and
-- commands that change it wait.
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "RetryCount" = 0,
    "ReleaseCount" = 0,
    "AvailableAt" = statement_timestamp(),
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
    "IdempotencyKey" = CAST(gen_random_uuid() AS text),
    "DeadlineAt" = CASE WHEN "DeadlineAt" >= statement_timestamp() THEN "DeadlineAt" WHEN "FinishBy" >= statement_timestamp() THEN "FinishBy" END,
    "FinishBy" = CASE WHEN "FinishBy" >= statement_timestamp() THEN "FinishBy" END,
    "ExpiresAt" = CASE WHEN "ExpiresAt" >= statement_timestamp() THEN "ExpiresAt" END
WHERE "State" IN (2, 3) AND "DeletedAt" IS NULL
  AND "Id" = 1; -- the item's id
