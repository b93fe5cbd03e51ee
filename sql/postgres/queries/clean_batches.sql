-- clean_batches: remove records of batches that are older than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotBatches"
WHERE "CreatedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotBatches" c
    WHERE c."CreatedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    ORDER BY c."CreatedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
