SELECT undated."Id", undated."Priority", undated."DeadlineAt", undated."EstimatedDurationMs", undated."Pipeline", undated."QueueName", undated."Limited",
    undated."LimitKey", undated."AvailableAt", undated."Labels", undated."Selectors", undated."Expedite", undated."TaskName", undated."NaturalKey", undated."Scheduled", undated."ByHand"
FROM (
    SELECT i."Id", i."Priority", i."DeadlineAt", i."EstimatedDurationMs", substr(i."IntegrationConfig", 1, 200) AS "Pipeline", i."QueueName",
        CASE WHEN i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q
            WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL) THEN 1 ELSE 0 END AS "Limited",
        i."LimitKey", i."AvailableAt", i."Labels", i."Selectors", i."Expedite",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."TaskName" END AS "TaskName", CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."NaturalKey" END AS "NaturalKey", i."Scheduled",
        CASE WHEN NOT i."PoliciesApplied" AND i."Fence" = 0 THEN 1 ELSE 0 END AS "ByHand"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."QueueName" = @queue AND i."Fence" >= 0 AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."Id"
    LIMIT @limit_rows) undated
UNION ALL
SELECT dated."Id", dated."Priority", dated."DeadlineAt", dated."EstimatedDurationMs", dated."Pipeline", dated."QueueName", dated."Limited",
    dated."LimitKey", dated."AvailableAt", dated."Labels", dated."Selectors", dated."Expedite", dated."TaskName", dated."NaturalKey", dated."Scheduled", dated."ByHand"
FROM (
    SELECT i."Id", i."Priority", i."DeadlineAt", i."EstimatedDurationMs", substr(i."IntegrationConfig", 1, 200) AS "Pipeline", i."QueueName",
        CASE WHEN i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q
            WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL) THEN 1 ELSE 0 END AS "Limited",
        i."LimitKey", i."AvailableAt", i."Labels", i."Selectors", i."Expedite",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."TaskName" END AS "TaskName", CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."NaturalKey" END AS "NaturalKey", i."Scheduled",
        CASE WHEN NOT i."PoliciesApplied" AND i."Fence" = 0 THEN 1 ELSE 0 END AS "ByHand"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."QueueName" = @queue AND i."Fence" >= 0 AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id"
    LIMIT @limit_rows) dated;
