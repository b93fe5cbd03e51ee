SELECT MIN(r.StartedAt)
FROM BotPipelineRuns r
JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.Pipeline = @pipeline AND r.Outcome = 'running' AND r.WorkerId <> @worker
  AND w.State <> 'stopped' AND w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND r.StartedAt >= w.StartedAt;
