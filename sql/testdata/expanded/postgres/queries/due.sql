WITH leaders AS (
    SELECT g."Id"
    FROM (
        SELECT b."Id", b."Priority", b."Place", b."Waiting", b."Given", b."Most", b."Latest", b."First", b."WaitMs", b."AtMostMs"
        FROM (
            SELECT m."Id", m."Priority", m."Waits",
                ROW_NUMBER() OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId" ORDER BY m."Waits" DESC, m."Priority" DESC, m."Id") AS "Place",
                SUM(m."Waits") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Waiting",
                SUM(1 - m."Waits") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Given",
                MIN(m."Most") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Most",
                MAX(m."WaitsSince") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "Latest",
                MIN(m."WaitsSince") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "First",
                MIN(m."WaitMs") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "WaitMs",
                MIN(m."AtMostMs") OVER (PARTITION BY m."QueueName", m."BatchKey", m."Pipeline", m."LimitText", m."SelectorText", m."AloneId") AS "AtMostMs"
            FROM (
                SELECT i."Id", i."Priority", i."QueueName", i."BatchKey", substr(i."IntegrationConfig", 1, 200) AS "Pipeline",
                    COALESCE(i."LimitKey", '') AS "LimitText", COALESCE(i."Selectors", '') AS "SelectorText",
                    CASE WHEN i."ReleaseCount" > 0 OR NOT i."PoliciesApplied" AND i."Fence" = 0 THEN i."Id" END AS "AloneId",
                    CASE WHEN i."State" IN (0, 4) THEN 1 ELSE 0 END AS "Waits",
                    CASE WHEN i."State" IN (0, 4) THEN i."AvailableAt" END AS "WaitsSince",
                    CASE WHEN i."ReleaseCount" > 0 OR NOT i."PoliciesApplied" AND i."Fence" = 0 OR i."BatchMax" IS NULL OR i."BatchMax" < 1 THEN 1 ELSE i."BatchMax" END AS "Most",
                    COALESCE(i."BatchWaitMs", 0) AS "WaitMs", COALESCE(i."BatchAtMostMs", 0) AS "AtMostMs"
                FROM "BotWorkQueueItems" i
                WHERE i."BatchKey" IS NOT NULL AND i."State" IN (0, 1, 4, 5)
                  AND (i."State" = 5 OR i."State" = 1 AND i."WorkerId" IS NOT NULL AND i."BatchLeaderId" IS NULL OR i."State" IN (0, 4)
                    AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
                    AND i."DeletedAt" IS NULL
                    AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
                    AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
                    AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
                  )
                  AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
            ) m) b
        WHERE b."Waits" = 1
        ) g
    WHERE (g."Place" <= (g."Waiting" - g."Given" * (g."Most" - 1)) / g."Most"
      OR g."Place" = 1 AND g."Given" = 0 AND (g."Latest" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - g."WaitMs" * INTERVAL '1 millisecond' OR g."First" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - g."AtMostMs" * INTERVAL '1 millisecond')))
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
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NULL
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
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
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."DeadlineAt" IS NOT NULL AND i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."DeadlineAt", i."Id"
    LIMIT @limit_rows) dated
UNION ALL
SELECT expedited."Id", expedited."Priority", expedited."DeadlineAt", expedited."EstimatedDurationMs", expedited."Pipeline", expedited."QueueName", expedited."Limited",
    expedited."LimitKey", expedited."AvailableAt", expedited."Labels", expedited."Selectors", expedited."Expedite", expedited."TaskName", expedited."NaturalKey", expedited."Scheduled", expedited."ByHand"
FROM (
    SELECT i."Id", i."Priority", i."DeadlineAt", i."EstimatedDurationMs", substr(i."IntegrationConfig", 1, 200) AS "Pipeline", i."QueueName",
        CASE WHEN i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q
            WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL) THEN 1 ELSE 0 END AS "Limited",
        i."LimitKey", i."AvailableAt", i."Labels", i."Selectors", i."Expedite",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."TaskName" END AS "TaskName", CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."NaturalKey" END AS "NaturalKey", i."Scheduled",
        CASE WHEN NOT i."PoliciesApplied" AND i."Fence" = 0 THEN 1 ELSE 0 END AS "ByHand"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND NOT i."Scheduled" AND i."Expedite" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."Id"
    LIMIT @limit_rows) expedited
UNION ALL
SELECT later."Id", later."Priority", later."DeadlineAt", later."EstimatedDurationMs", later."Pipeline", later."QueueName", later."Limited",
    later."LimitKey", later."AvailableAt", later."Labels", later."Selectors", later."Expedite", later."TaskName", later."NaturalKey", later."Scheduled", later."ByHand"
FROM (
    SELECT i."Id", i."Priority", i."DeadlineAt", i."EstimatedDurationMs", substr(i."IntegrationConfig", 1, 200) AS "Pipeline", i."QueueName",
        CASE WHEN i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q
            WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL) THEN 1 ELSE 0 END AS "Limited",
        i."LimitKey", i."AvailableAt", i."Labels", i."Selectors", i."Expedite",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."TaskName" END AS "TaskName", CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."NaturalKey" END AS "NaturalKey", i."Scheduled",
        CASE WHEN NOT i."PoliciesApplied" AND i."Fence" = 0 THEN 1 ELSE 0 END AS "ByHand"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NULL AND i."Scheduled" AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."Expedite" DESC, CASE WHEN i."DeadlineAt" IS NULL THEN 1 ELSE 0 END, i."DeadlineAt", i."Id"
    LIMIT @limit_rows) later
UNION ALL
SELECT batched."Id", batched."Priority", batched."DeadlineAt", batched."EstimatedDurationMs", batched."Pipeline", batched."QueueName", batched."Limited",
    batched."LimitKey", batched."AvailableAt", batched."Labels", batched."Selectors", batched."Expedite", batched."TaskName", batched."NaturalKey", batched."Scheduled", batched."ByHand"
FROM (
    SELECT i."Id", i."Priority", i."DeadlineAt", i."EstimatedDurationMs", substr(i."IntegrationConfig", 1, 200) AS "Pipeline", i."QueueName",
        CASE WHEN i."QueueName" IN (SELECT q."Name" FROM "BotQueues" q
            WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL) THEN 1 ELSE 0 END AS "Limited",
        i."LimitKey", i."AvailableAt", i."Labels", i."Selectors", i."Expedite",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."TaskName" END AS "TaskName", CASE WHEN i."EstimatedDurationMs" IS NULL THEN i."NaturalKey" END AS "NaturalKey", i."Scheduled",
        CASE WHEN NOT i."PoliciesApplied" AND i."Fence" = 0 THEN 1 ELSE 0 END AS "ByHand"
    FROM "BotWorkQueueItems" i
    WHERE i."State" IN (0, 4) AND i."BatchKey" IS NOT NULL AND (i."DeadlineAt" IS NULL OR i."DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) AND i."Id" IN (SELECT l."Id" FROM leaders l)
      AND i."Priority" BETWEEN @min_priority AND @max_priority
      AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND i."DeletedAt" IS NULL
      AND (i."ExpiresAt" IS NULL OR i."ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
      AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND (q."Paused" OR q."Consumer" = 'robots'))
      AND (i.xmax = '0' OR i.xmax NOT IN (SELECT k.transactionid FROM pg_locks k WHERE k.locktype = 'transactionid' AND k.transactionid IS NOT NULL AND k.pid <> pg_backend_pid()))
      AND (CAST(@queues AS text) = '[]' OR i."QueueName" NOT IN (SELECT json_array_elements_text(CAST(@queues AS json))))
      AND (CAST(@pipelines AS text) = '[]' OR substr(i."IntegrationConfig", 1, 200) NOT IN (SELECT json_array_elements_text(CAST(@pipelines AS json))))
      AND (CAST(@keys AS text) = '[]' OR i."LimitKey" IS NULL OR (i."QueueName", i."LimitKey") NOT IN (
          SELECT j."Queue", j."Key" FROM json_to_recordset(CAST(@keys AS json)) AS j("Queue" text, "Key" text)))
    ORDER BY i."Priority" DESC, i."Id"
    LIMIT @limit_rows) batched;
