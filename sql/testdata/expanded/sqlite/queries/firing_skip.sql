UPDATE BotScheduleFirings SET
    Outcome = 'skipped',
    Reason = @reason
WHERE Schedule = @schedule AND PlannedAt = @planned_at AND WorkerName = @worker_name
  AND RecordedBy = @recorded_by AND Outcome = 'fired'
  AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Pipeline = @schedule AND r.PlannedAt = @planned_at);
