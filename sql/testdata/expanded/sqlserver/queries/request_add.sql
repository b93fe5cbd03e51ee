INSERT INTO BotRunRequests (Pipeline, TriggerName, PlannedAt, RequestedBy, RequestedAt, ExpiresAt)
OUTPUT inserted.Id
SELECT @pipeline, @trigger_name, j.Instant, @requested_by, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))), DATEADD(millisecond, (CAST(@expire_ms AS BIGINT) % 1000), DATEADD(second, (CAST(@expire_ms AS BIGINT) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
FROM OPENJSON(@rows) WITH (Instant DATETIME2(3) '$.Instant') j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND pp.Paused = 1)
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.State = N'active' AND w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND (j.Instant IS NULL
    OR j.Instant < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND r.PlannedAt = j.Instant)
      AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
          WHERE f.Schedule = CAST(@pipeline AS NVARCHAR(450)) AND f.PlannedAt = j.Instant AND f.Outcome = N'fired')
      AND NOT EXISTS (SELECT 1 FROM BotRunRequests q
          WHERE q.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND q.PlannedAt = j.Instant AND q.State IN (N'pending', N'started')));
