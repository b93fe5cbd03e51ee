INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT @schedule, @planned_at, '', 'fired', 'backfill', @recorded_by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = '');
