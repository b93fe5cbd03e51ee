-- firing_refused: why a planned instant was not claimed.
-- In:  schedule, planned_at, worker_name, now (NULL: the database clock)
-- Out: the clock, 1 if the instant has a record, 1 if the pipeline is paused.
SELECT {{now}},
    CASE WHEN EXISTS (SELECT 1 FROM BotScheduleFirings f
        WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = CAST(@worker_name AS NVARCHAR(450))) THEN 1 ELSE 0 END,
    CASE WHEN {{paused name=CAST(@schedule AS NVARCHAR(450))}} THEN 1 ELSE 0 END;
