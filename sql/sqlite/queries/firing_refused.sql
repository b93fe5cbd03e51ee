-- firing_refused: why a planned instant was not claimed.
-- In:  schedule, planned_at, worker_name, now (NULL: the database clock)
-- Out: the clock, 1 if the instant has a record, 1 if the pipeline is paused.
SELECT {{now}},
    CASE WHEN EXISTS (SELECT 1 FROM BotScheduleFirings f
        WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = @worker_name) THEN 1 ELSE 0 END,
    CASE WHEN {{paused name=@schedule}} THEN 1 ELSE 0 END;
