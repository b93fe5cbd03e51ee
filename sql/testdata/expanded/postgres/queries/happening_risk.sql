SELECT i."Id", i."DeadlineAt", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), NULL, NULL, NULL, w."Name", NULL, i."Id"
FROM "BotWorkQueueItems" i
LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId"
WHERE i."State" IN (0, 4, 5) AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND i."DeadlineAt" < CAST(@until AS timestamptz)
  AND i."DeletedAt" IS NULL AND i."QueueName" <> CAST(@except_queue AS varchar)
ORDER BY i."DeadlineAt", i."Id"
LIMIT @limit_rows;
