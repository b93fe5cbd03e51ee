-- trim_archive: remove the oldest archived items of a queue that exceed the number that it keeps.
-- Rows that another session holds are left to the next call: the end of a run calls it.
-- In:  queue, keep, limit_rows
DELETE FROM "BotWorkQueueItems"
WHERE "State" = 3 AND "DeletedAt" IS NULL AND "QueueName" = @queue AND "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotWorkQueueItems" i WHERE i."Id" = ANY (ARRAY(
        SELECT c."Id" FROM "BotWorkQueueItems" c
        WHERE c."State" = 3 AND c."DeletedAt" IS NULL AND c."QueueName" = @queue
        ORDER BY c."FinishedAt" DESC NULLS LAST, c."Id" DESC
        LIMIT @limit_rows OFFSET @keep))
    FOR UPDATE SKIP LOCKED));
