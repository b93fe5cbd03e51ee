INSERT INTO BotRunRequests (Pipeline, TriggerName, PlannedAt, RequestedBy, RequestedAt, ExpiresAt)
SELECT @pipeline, @trigger_name, j.Instant, @requested_by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')), strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @expire_ms / 1000.0))
FROM (SELECT json_extract(value, '$.Instant') AS Instant FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = @pipeline AND pp.Paused = 1)
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.State = 'active' AND w.LeaseExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND (j.Instant IS NULL
    OR j.Instant < COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Pipeline = @pipeline AND r.PlannedAt = j.Instant)
      AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
          WHERE f.Schedule = @pipeline AND f.PlannedAt = j.Instant AND f.Outcome = 'fired')
      AND NOT EXISTS (SELECT 1 FROM BotRunRequests q
          WHERE q.Pipeline = @pipeline AND q.PlannedAt = j.Instant AND q.State IN ('pending', 'started')))
ORDER BY j.Instant
RETURNING Id;
