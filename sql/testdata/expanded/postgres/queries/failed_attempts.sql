SELECT a."Id", a."ItemId", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), a."Step", a."ErrorKind",
    LEFT(a."Error", CAST(@text_len AS integer)), a."WorkerName", a."Host", CASE WHEN a."Outcome" = 'rescued' THEN 1 ELSE 0 END, a."FinishedAt"
FROM "BotWorkItemAttempts" a
JOIN "BotWorkQueueItems" i ON i."Id" = a."ItemId"
WHERE a."Outcome" IN ('failed', 'timeout', 'rescued')
  AND a."FinishedAt" >= CAST(@since AS timestamptz) AND a."FinishedAt" <= CAST(@until AS timestamptz)
  AND (a."FinishedAt" < CAST(@until AS timestamptz) OR a."Id" < CAST(@before_id AS bigint))
ORDER BY a."FinishedAt" DESC, a."Id" DESC
LIMIT @limit_rows;
