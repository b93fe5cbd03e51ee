-- promote: mark scheduled items that are now due like items that were due when they were written:
-- otherwise each pass would read and sort many of them. Items that are locked are left to the next
-- call.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE "BotWorkQueueItems" SET "Scheduled" = FALSE
WHERE "State" + 0 IN (0, 4) AND "Id" = ANY (ARRAY(
    SELECT c."Id"
    FROM "BotWorkQueueItems" c
    WHERE c."State" IN (0, 4) AND c."Scheduled" AND c."AvailableAt" <= {{now}}
    ORDER BY c."AvailableAt"
    LIMIT @limit_rows
    FOR NO KEY UPDATE SKIP LOCKED));
