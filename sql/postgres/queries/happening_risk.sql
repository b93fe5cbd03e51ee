-- happening_risk: items that have not started and whose deadline is near, the nearest first.
-- In:  until, limit_rows, except_queue, name_len, now (NULL: the database clock)
-- Out: as happening_items; the time is the deadline.
SELECT i."Id", i."DeadlineAt", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), NULL, NULL, NULL, w."Name", NULL, i."Id"
FROM "BotWorkQueueItems" i
LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId"
WHERE i."State" IN (0, 4, 5) AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= {{now}} AND i."DeadlineAt" < CAST(@until AS timestamptz)
  AND i."DeletedAt" IS NULL AND i."QueueName" <> CAST(@except_queue AS varchar)
ORDER BY i."DeadlineAt", i."Id"
LIMIT @limit_rows;
