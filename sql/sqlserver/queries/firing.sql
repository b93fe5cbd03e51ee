-- firing: claim a planned instant. The unique key lets one claim succeed. An instant in the future
-- cannot be claimed, nor one of a paused pipeline.
-- In:  schedule, planned_at, worker_name, recorded_by, now (NULL: the database clock)
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
SELECT @schedule, CAST(@planned_at AS DATETIME2(3)), @worker_name, N'fired', @recorded_by, {{now}}
WHERE CAST(@planned_at AS DATETIME2(3)) <= {{now}}
  AND NOT {{paused name=CAST(@schedule AS NVARCHAR(450))}}
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = CAST(@worker_name AS NVARCHAR(450)));
