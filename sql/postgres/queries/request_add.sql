-- request_add: record requests for runs of a pipeline: one for each planned instant that did not run,
-- or one without an instant. None is recorded if the pipeline is paused or no worker is alive.
-- In:  rows [{Instant}], pipeline, trigger_name, requested_by, expire_ms, now (NULL: the database clock)
-- Out: the requests' ids.
INSERT INTO "BotRunRequests" ("Pipeline", "TriggerName", "PlannedAt", "RequestedBy", "RequestedAt", "ExpiresAt")
SELECT CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), j."Instant", CAST(@requested_by AS varchar), {{now}}, {{now_plus ms=CAST(@expire_ms AS bigint)}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Instant" timestamptz)
WHERE NOT {{paused name=@pipeline}}
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."State" = 'active' AND w."LeaseExpiresAt" >= {{now}})
  AND (j."Instant" IS NULL
    OR j."Instant" < {{now}}
      AND NOT EXISTS (SELECT 1 FROM "BotPipelineRuns" r WHERE r."Pipeline" = @pipeline AND r."PlannedAt" = j."Instant")
      AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
          WHERE f."Schedule" = @pipeline AND f."PlannedAt" = j."Instant" AND f."Outcome" = 'fired')
      AND NOT EXISTS (SELECT 1 FROM "BotRunRequests" q
          WHERE q."Pipeline" = @pipeline AND q."PlannedAt" = j."Instant" AND q."State" IN ('pending', 'started')))
ORDER BY j."Instant"
RETURNING "Id";
