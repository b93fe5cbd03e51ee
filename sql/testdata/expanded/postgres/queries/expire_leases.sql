UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = NULL
WHERE "State" + 0 = 1 AND "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotWorkQueueItems" i
    WHERE i."State" = 1 AND i."WorkerId" = (SELECT w."Id" FROM "BotWorkers" w WHERE w."Name" = @name AND w."InstanceId" = @replaces)
    FOR NO KEY UPDATE SKIP LOCKED));
