-- promote: put items that have become due with those that are due when they are written:
-- many of them would be read and sorted by each pass. What others are changing is left
-- to the next time.
-- In:  limit_rows, now (NULL: the database clock)
UPDATE "BotWorkQueueItems" SET "Scheduled" = FALSE
WHERE "State" + 0 IN (0, 4) AND "Id" = ANY (ARRAY(
    SELECT c."Id"
    FROM "BotWorkQueueItems" c
    WHERE c."State" IN (0, 4) AND c."Scheduled" AND c."AvailableAt" <= {{now}}
    ORDER BY c."AvailableAt"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
