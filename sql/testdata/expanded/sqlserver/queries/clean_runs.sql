DELETE t
FROM BotPipelineRuns t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotPipelineRuns c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.StartedAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND COALESCE(c.FinishedAt, c.StartedAt) <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND (c.Outcome <> N'running' OR NOT EXISTS (SELECT 1 FROM BotWorkers w
              WHERE w.Id = c.WorkerId AND w.State <> N'stopped' AND w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND c.StartedAt >= w.StartedAt))
      AND (c.PlannedAt IS NULL
          OR NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = c.WorkerId)
          OR EXISTS (SELECT 1 FROM BotPipelineRuns n WITH (READPAST, READCOMMITTEDLOCK)
              WHERE n.Pipeline = c.Pipeline AND n.WorkerId = c.WorkerId AND n.PlannedAt > c.PlannedAt AND n.TriggerName <> N'backfill'))
    ORDER BY c.StartedAt, c.Id);
