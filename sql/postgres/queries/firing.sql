-- firing: claim a planned instant. The unique key lets one claim succeed. An instant in the future
-- cannot be claimed, nor one of a paused pipeline.
-- In:  schedule, planned_at, worker_name, recorded_by, now (NULL: the database clock)
INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "RecordedBy", "RecordedAt")
SELECT CAST(@schedule AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker_name AS varchar), 'fired', CAST(@recorded_by AS varchar), {{now}}
WHERE CAST(@planned_at AS timestamptz) <= {{now}}
  AND NOT {{paused name=@schedule}}
  AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
      WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = @worker_name);
