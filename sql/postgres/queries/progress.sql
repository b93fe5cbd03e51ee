-- progress: record the progress of runs, and that they have started. NULL keeps the value.
-- In:  worker, instance, rows [{ItemId, ItemFence, NewStep, NewProgress, NewPercent, NewHash, NewTail, NewStepTimes, NewOutput}]
-- Out: ids and fences of the changed items; the others have lost their lease.
-- Rows are locked in the order of the batch, which is sorted by id: a join may use the order of
-- either side, and two statements could deadlock. Items that another worker has got meanwhile are
-- not locked: a pass rescues and assigns in two statements, and could deadlock with this one.
-- CASE makes PostgreSQL find each row by its key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "NewStep" text, "NewProgress" text,
    "NewPercent" int, "NewHash" text, "NewTail" text, "NewStepTimes" text, "NewOutput" text)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" = 1
)
UPDATE "BotWorkQueueItems" SET
    "BegunFence" = "BotWorkQueueItems"."Fence",
    "Step" = COALESCE(j."NewStep", "BotWorkQueueItems"."Step"),
    "Progress" = COALESCE(j."NewProgress", "BotWorkQueueItems"."Progress"),
    "ProgressPercent" = COALESCE(j."NewPercent", "BotWorkQueueItems"."ProgressPercent"),
    "PipelineHash" = COALESCE(j."NewHash", "BotWorkQueueItems"."PipelineHash"),
    "LogTail" = COALESCE(j."NewTail", "BotWorkQueueItems"."LogTail"),
    "StepTimes" = COALESCE(j."NewStepTimes", "BotWorkQueueItems"."StepTimes"),
    "Output" = COALESCE(j."NewOutput", "BotWorkQueueItems"."Output")
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence";
