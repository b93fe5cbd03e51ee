-- progress: what runs have come to so far, so they have begun. NULL keeps what is there.
-- In:  worker, instance, rows [{ItemId, ItemFence, NewStep, NewProgress, NewPercent, NewHash, NewTail, NewOutput}]
-- Out: ids and fences of what was changed; the others have lost their lease.
-- Rows are locked in the order of the batch, which is that of ids: a join follows the
-- order of whichever side the planner picks, and two statements would wait for each other.
-- What another has got since is left alone: a pass that frees and assigns locks in two
-- statements, and would wait for this one, which waits for it.
-- CASE has each row found by its key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "NewStep" text, "NewProgress" text,
    "NewPercent" int, "NewHash" text, "NewTail" text, "NewOutput" text)
    -- include: lock_rows
)
UPDATE "BotWorkQueueItems" SET
    "BegunFence" = "BotWorkQueueItems"."Fence",
    "Step" = COALESCE(j."NewStep", "BotWorkQueueItems"."Step"),
    "Progress" = COALESCE(j."NewProgress", "BotWorkQueueItems"."Progress"),
    "ProgressPercent" = COALESCE(j."NewPercent", "BotWorkQueueItems"."ProgressPercent"),
    "PipelineHash" = COALESCE(j."NewHash", "BotWorkQueueItems"."PipelineHash"),
    "LogTail" = COALESCE(j."NewTail", "BotWorkQueueItems"."LogTail"),
    "Output" = COALESCE(j."NewOutput", "BotWorkQueueItems"."Output")
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence";
