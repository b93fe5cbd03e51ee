SELECT MIN(r."StartedAt")
FROM "BotPipelineRuns" r
JOIN "BotWorkers" w ON w."Id" = r."WorkerId"
WHERE r."Pipeline" = @pipeline AND r."Outcome" = 'running' AND r."WorkerId" <> @worker
  AND w."State" <> 'stopped' AND w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND r."StartedAt" >= w."StartedAt";
