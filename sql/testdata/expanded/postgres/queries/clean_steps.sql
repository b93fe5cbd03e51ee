DELETE FROM "BotWorkItemSteps"
WHERE ("ItemId", "Step") IN (
    SELECT c."ItemId", c."Step" FROM "BotWorkItemSteps" c
    JOIN "BotWorkQueueItems" i ON i."Id" = c."ItemId"
    WHERE i."State" = 2
    ORDER BY c."ItemId", c."Number"
    LIMIT @limit_rows
    FOR UPDATE OF c SKIP LOCKED);
