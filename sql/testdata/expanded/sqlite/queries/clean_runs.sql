DELETE FROM BotPipelineRuns
WHERE Id IN (
    SELECT c.Id FROM BotPipelineRuns c
    WHERE c.StartedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND COALESCE(c.FinishedAt, c.StartedAt) <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
      AND (c.Outcome <> 'running' OR NOT EXISTS (SELECT 1 FROM BotWorkers w
              WHERE w.Id = c.WorkerId AND w.State <> 'stopped' AND w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND c.StartedAt >= w.StartedAt))
      AND (c.PlannedAt IS NULL
          OR NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = c.WorkerId)
          OR EXISTS (SELECT 1 FROM BotPipelineRuns n
              WHERE n.Pipeline = c.Pipeline AND n.WorkerId = c.WorkerId AND n.PlannedAt > c.PlannedAt AND n.TriggerName <> 'backfill'))
    ORDER BY c.StartedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
