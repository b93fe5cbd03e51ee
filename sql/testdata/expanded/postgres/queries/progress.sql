WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "NewStep" text, "NewProgress" text,
    "NewPercent" int, "NewHash" text, "NewTail" text, "NewStepTimes" text, "NewOutput" text)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
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
