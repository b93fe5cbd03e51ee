-- firing_notes: record planned instants that were missed or skipped. An
-- instant that has a record keeps it.
-- In:  rows [{Name, Instant, Holder, Result, Cause, Author}], now (NULL: the database clock)
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT j.Name, j.Instant, j.Holder, j.Result, j.Cause, j.Author, {{now}}
FROM (SELECT json_extract(value, '$.Name') AS Name, json_extract(value, '$.Instant') AS Instant,
        json_extract(value, '$.Holder') AS Holder, json_extract(value, '$.Result') AS Result,
        json_extract(value, '$.Cause') AS Cause, json_extract(value, '$.Author') AS Author
      FROM jsonb_each(@rows)) j
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder);
