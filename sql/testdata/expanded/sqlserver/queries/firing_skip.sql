UPDATE BotScheduleFirings SET
    Outcome = N'skipped',
    Reason = @reason
WHERE Schedule = CAST(@schedule AS NVARCHAR(450)) AND PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND WorkerName = CAST(@worker_name AS NVARCHAR(450))
  AND RecordedBy = CAST(@recorded_by AS NVARCHAR(450)) AND Outcome = N'fired'
  AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Pipeline = CAST(@schedule AS NVARCHAR(450)) AND r.PlannedAt = CAST(@planned_at AS DATETIME2(3)));
