UPDATE "BotScheduleFirings" SET
    "Outcome" = 'skipped',
    "Reason" = CAST(@reason AS varchar)
WHERE "Schedule" = @schedule AND "PlannedAt" = CAST(@planned_at AS timestamptz) AND "WorkerName" = @worker_name
  AND "RecordedBy" = @recorded_by AND "Outcome" = 'fired'
  AND NOT EXISTS (SELECT 1 FROM "BotPipelineRuns" r WHERE r."Pipeline" = @schedule AND r."PlannedAt" = CAST(@planned_at AS timestamptz));
