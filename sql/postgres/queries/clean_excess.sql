-- clean_excess: the archived items of a queue beyond the number that it keeps,
-- the oldest ones.
-- In:  queue, keep, limit_rows
-- Out: id, fence, state, 1 for a deleted one, attempts; the rows are locked.
-- The inner SELECT locks nothing: it passes over the items that are kept.
-- include: clean_columns
FROM "BotWorkQueueItems" c
WHERE c."State" = 3 AND c."DeletedAt" IS NULL AND c."QueueName" = @queue AND c."Id" = ANY (ARRAY(
    SELECT e."Id" FROM "BotWorkQueueItems" e
    WHERE e."State" = 3 AND e."DeletedAt" IS NULL AND e."QueueName" = @queue
    ORDER BY e."FinishedAt" DESC NULLS LAST, e."Id" DESC
    LIMIT @limit_rows OFFSET @keep))
FOR UPDATE OF c SKIP LOCKED;
