-- clean_excess: the oldest archived items of a queue that exceed the number that it keeps.
-- In:  queue, keep, limit_rows
-- Out: id, fence, state, 1 if deleted, attempts; the rows are locked.
-- The inner SELECT locks nothing: it skips the items that are kept.
-- include: clean_columns
FROM "BotWorkQueueItems" c
WHERE c."State" = 3 AND c."DeletedAt" IS NULL AND c."QueueName" = @queue AND c."Id" = ANY (ARRAY(
    SELECT e."Id" FROM "BotWorkQueueItems" e
    WHERE e."State" = 3 AND e."DeletedAt" IS NULL AND e."QueueName" = @queue
    ORDER BY e."FinishedAt" DESC NULLS LAST, e."Id" DESC
    LIMIT @limit_rows OFFSET @keep))
FOR UPDATE OF c SKIP LOCKED;
