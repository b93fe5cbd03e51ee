WITH held AS MATERIALIZED (
    SELECT i."Id" FROM "BotWorkQueueItems" i
    WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1
    FOR NO KEY UPDATE SKIP LOCKED
)
DELETE FROM "BotWorkItemSteps" s
USING held h
WHERE s."ItemId" = h."Id";
