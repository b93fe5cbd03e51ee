UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = NULL
WHERE "State" = 1 AND "WorkerId" = (SELECT w."Id" FROM "BotWorkers" w WHERE w."Name" = @name AND w."InstanceId" = @replaces);
