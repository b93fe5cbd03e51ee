-- failed_items: items of a queue that ended without success in a period, the latest first. Items
-- that ended at until are included if their id is smaller than before_id.
-- The index has NULL last, so the order says it too.
-- In:  queue, since, until, before_id (0: none), limit_rows, name_len and text_len (characters)
-- Out: as failed_attempts; the id is that of the item.
SELECT i."Id", i."Id", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), i."Step", i."ErrorKind",
    LEFT(i."Error", CAST(@text_len AS integer)), NULL, NULL, 0, i."FinishedAt"
FROM "BotWorkQueueItems" i
WHERE i."State" = 3 AND i."DeletedAt" IS NULL AND i."QueueName" = @queue
  AND i."FinishedAt" >= CAST(@since AS timestamptz) AND i."FinishedAt" <= CAST(@until AS timestamptz)
  AND (i."FinishedAt" < CAST(@until AS timestamptz) OR i."Id" < CAST(@before_id AS bigint))
ORDER BY i."FinishedAt" DESC NULLS LAST, i."Id" DESC
LIMIT @limit_rows;
