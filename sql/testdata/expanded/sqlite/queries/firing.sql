INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
SELECT @schedule, @planned_at, @worker_name, 'fired', @recorded_by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE @planned_at <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
  AND NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = @schedule AND pp.Paused = 1)
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = @worker_name);
