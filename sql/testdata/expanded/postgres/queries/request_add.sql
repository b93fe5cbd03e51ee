INSERT INTO "BotRunRequests" ("Pipeline", "TriggerName", "PlannedAt", "RequestedBy", "RequestedAt", "ExpiresAt")
SELECT CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), j."Instant", CAST(@requested_by AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@expire_ms AS bigint) * INTERVAL '1 millisecond'
FROM json_to_recordset(CAST(@rows AS json)) AS j("Instant" timestamptz)
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelinePauses" pp WHERE pp."Pipeline" = @pipeline AND pp."Paused" = TRUE)
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."State" = 'active' AND w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
  AND (j."Instant" IS NULL
    OR j."Instant" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
      AND NOT EXISTS (SELECT 1 FROM "BotPipelineRuns" r WHERE r."Pipeline" = @pipeline AND r."PlannedAt" = j."Instant")
      AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
          WHERE f."Schedule" = @pipeline AND f."PlannedAt" = j."Instant" AND f."Outcome" = 'fired')
      AND NOT EXISTS (SELECT 1 FROM "BotRunRequests" q
          WHERE q."Pipeline" = @pipeline AND q."PlannedAt" = j."Instant" AND q."State" IN ('pending', 'started')))
ORDER BY j."Instant"
RETURNING "Id";
