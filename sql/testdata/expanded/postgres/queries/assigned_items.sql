SELECT i."Id", i."Priority", i."DeadlineAt", COALESCE(i."AssignedEstimateMs", i."EstimatedDurationMs"), substr(i."IntegrationConfig", 1, 200), i."QueueName",
    0, NULL, i."AvailableAt", i."Labels", i."Selectors", i."Expedite", NULL, NULL, i."WorkerId"
FROM "BotWorkQueueItems" i
WHERE i."State" = 5 AND i."WorkerId" IS NOT NULL
  AND i."Priority" BETWEEN @min_priority AND @max_priority
  AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND i."DeletedAt" IS NULL
  AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
  AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
  AND i."QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
  AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
ORDER BY CASE WHEN i."Expedite" AND i."RunOrder" < -1000000000000000000 THEN 0 ELSE 1 END, i."Priority" DESC, i."RunOrder", i."Id"
LIMIT @limit_rows;
