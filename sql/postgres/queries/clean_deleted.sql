-- clean_deleted: logically deleted items that have come to an age. What a hand
-- has marked as deleted while it waits or runs is left alone.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
-- Out: id, fence, state, 1 for a deleted one, attempts; the rows are locked.
-- include: clean_columns
FROM "BotWorkQueueItems" c
WHERE c."DeletedAt" IS NOT NULL AND c."DeletedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} AND c."State" IN (2, 3)
ORDER BY c."DeletedAt", c."Id"
LIMIT @limit_rows
FOR UPDATE OF c SKIP LOCKED;
