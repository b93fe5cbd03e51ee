-- expire_leases: end the leases of an instance that is known to be dead, because another one takes
-- the worker's name. Its running items can be rescued at once.
-- In:  name, replaces
-- A lease of a row that another session holds ends in its time.
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = NULL
WHERE "State" + 0 = 1 AND "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotWorkQueueItems" i
    WHERE i."State" = 1 AND i."WorkerId" = (SELECT w."Id" FROM "BotWorkers" w WHERE w."Name" = @name AND w."InstanceId" = @replaces)
    FOR NO KEY UPDATE SKIP LOCKED));
