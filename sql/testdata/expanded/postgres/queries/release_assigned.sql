UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "WorkerId" = NULL,
    "AssignedAt" = NULL
WHERE "State" + 0 = 5 AND "WorkerId" = @worker AND "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND i."WorkerId" = @worker
    FOR NO KEY UPDATE SKIP LOCKED))
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance);
