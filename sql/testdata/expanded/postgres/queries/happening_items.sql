SELECT i."Id", i."FinishedAt", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), i."Step", i."ErrorKind", LEFT(i."Error", CAST(@text_len AS integer)), w."Name", NULL, i."Id"
FROM "BotWorkQueueItems" i
LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId"
WHERE i."State" = 3 AND i."DeletedAt" IS NULL AND i."FinishedAt" >= CAST(@since AS timestamptz) AND i."QueueName" <> CAST(@except_queue AS varchar)
  AND NOT EXISTS (SELECT 1 FROM "BotNotificationSeen" s WHERE s."Source" = 'item' AND s."RefId" = i."Id" AND s."At" = i."FinishedAt")
  AND NOT EXISTS (SELECT 1 FROM "BotWorkQueueItems" c
      WHERE c."RootId" IS NOT NULL AND c."RootId" = COALESCE(i."RootId", i."Id") AND c."Id" > i."Id")
ORDER BY i."FinishedAt", i."Id"
LIMIT @limit_rows;
