-- request_add: record requests for runs of a pipeline: one for each planned instant that did not run,
-- or one without an instant. None is recorded if the pipeline is paused or no worker is alive.
-- In:  rows [{Instant}], pipeline, trigger_name, requested_by, expire_ms, now (NULL: the database clock)
-- Out: the requests' ids.
INSERT INTO BotRunRequests (Pipeline, TriggerName, PlannedAt, RequestedBy, RequestedAt, ExpiresAt)
OUTPUT inserted.Id
SELECT @pipeline, @trigger_name, j.Instant, @requested_by, {{now}}, {{now_plus ms=CAST(@expire_ms AS BIGINT)}}
FROM OPENJSON(@rows) WITH (Instant DATETIME2(3) '$.Instant') j
WHERE NOT {{paused name=CAST(@pipeline AS NVARCHAR(450))}}
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.State = N'active' AND w.LeaseExpiresAt >= {{now}})
  AND (j.Instant IS NULL
    OR j.Instant < {{now}}
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND r.PlannedAt = j.Instant)
      AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
          WHERE f.Schedule = CAST(@pipeline AS NVARCHAR(450)) AND f.PlannedAt = j.Instant AND f.Outcome = N'fired')
      AND NOT EXISTS (SELECT 1 FROM BotRunRequests q
          WHERE q.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND q.PlannedAt = j.Instant AND q.State IN (N'pending', N'started')));
