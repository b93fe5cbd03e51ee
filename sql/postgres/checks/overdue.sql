-- overdue: waiting items that have been due for too long, according to their row and attempts. Low
-- items have more time; items for robots do not count. Items in a queue with limits may wait for
-- these, and items of the given pipelines for their file to be fixed.
-- In:  before (due since then), low_before, pipelines [name], limit_rows
-- Out: id, priority, since when it is due.
SELECT i."Id", i."Priority", i."AvailableAt"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."DeletedAt" IS NULL
  AND (i."Priority" >= 500 AND i."AvailableAt" < CAST(@before AS timestamptz) AND i."CreatedAt" < CAST(@before AS timestamptz)
       OR i."Priority" < 500 AND i."AvailableAt" < CAST(@low_before AS timestamptz) AND i."CreatedAt" < CAST(@low_before AS timestamptz))
  AND NOT EXISTS (SELECT 1 FROM "BotWorkItemAttempts" a
      WHERE a."ItemId" = i."Id" AND a."FinishedAt" >= CASE WHEN i."Priority" >= 500 THEN CAST(@before AS timestamptz) ELSE CAST(@low_before AS timestamptz) END)
  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'
      OR q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL))
  AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
ORDER BY i."Id"
LIMIT @limit_rows;
