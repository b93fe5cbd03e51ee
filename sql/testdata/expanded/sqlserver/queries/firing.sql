INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
SELECT @schedule, CAST(@planned_at AS DATETIME2(3)), @worker_name, N'fired', @recorded_by, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE CAST(@planned_at AS DATETIME2(3)) <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = CAST(@schedule AS NVARCHAR(450)) AND pp.Paused = 1)
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = CAST(@worker_name AS NVARCHAR(450)));
