-- firing: claim a planned instant. The unique key lets one claim succeed. An instant in the future
-- cannot be claimed, nor one of a paused pipeline.
-- In:  schedule, planned_at, worker_name, recorded_by, now (NULL: the database clock)
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
SELECT @schedule, @planned_at, @worker_name, 'fired', @recorded_by, {{now}}
WHERE @planned_at <= {{now}}
  AND NOT {{paused name=@schedule}}
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = @worker_name);
