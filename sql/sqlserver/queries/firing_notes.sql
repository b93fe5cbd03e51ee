-- firing_notes: record planned instants that were missed or skipped. An
-- instant that has a record keeps it.
-- In:  rows [{Name, Instant, Holder, Result, Cause, Author}], now (NULL: the database clock)
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT j.Name, j.Instant, j.Holder, j.Result, j.Cause, j.Author, {{now}}
FROM OPENJSON(@rows) WITH (Name NVARCHAR(MAX) '$.Name', Instant DATETIME2(3) '$.Instant', Holder NVARCHAR(MAX) '$.Holder',
    Result NVARCHAR(MAX) '$.Result', Cause NVARCHAR(MAX) '$.Cause', Author NVARCHAR(MAX) '$.Author') j
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder);
