SELECT MIN(r.StartedAt)
FROM BotPipelineRuns r
JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND r.Outcome = N'running' AND r.WorkerId <> @worker
  AND w.State <> N'stopped' AND w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND r.StartedAt >= w.StartedAt;
