DELETE FROM "BotPipelineRuns"
WHERE "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotPipelineRuns" c
    WHERE c."StartedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond' AND COALESCE(c."FinishedAt", c."StartedAt") <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@age_ms AS bigint) * INTERVAL '1 millisecond'
      AND (c."Outcome" <> 'running' OR NOT EXISTS (SELECT 1 FROM "BotWorkers" w
              WHERE w."Id" = c."WorkerId" AND w."State" <> 'stopped' AND w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND c."StartedAt" >= w."StartedAt"))
      AND (c."PlannedAt" IS NULL
          OR NOT EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = c."WorkerId")
          OR EXISTS (SELECT 1 FROM "BotPipelineRuns" n
              WHERE n."Pipeline" = c."Pipeline" AND n."WorkerId" = c."WorkerId" AND n."PlannedAt" > c."PlannedAt" AND n."TriggerName" <> 'backfill'))
    ORDER BY c."StartedAt", c."Id"
    LIMIT @limit_rows
    FOR UPDATE OF c SKIP LOCKED));
