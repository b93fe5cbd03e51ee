-- firing_backfill: record that a backfill fires a planned instant that has no record, so that its
-- schedule does not fire it. A record of a missed or skipped instant stays as it is.
-- In:  schedule, planned_at, recorded_by, now (NULL: the database clock)
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT @schedule, CAST(@planned_at AS DATETIME2(3)), N'', N'fired', N'backfill', @recorded_by, {{now}}
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = N'');
