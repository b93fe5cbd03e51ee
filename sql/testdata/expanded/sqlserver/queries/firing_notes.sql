INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT j.Name, j.Instant, j.Holder, j.Result, j.Cause, j.Author, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (Name NVARCHAR(MAX) '$.Name', Instant DATETIME2(3) '$.Instant', Holder NVARCHAR(MAX) '$.Holder',
    Result NVARCHAR(MAX) '$.Result', Cause NVARCHAR(MAX) '$.Cause', Author NVARCHAR(MAX) '$.Author') j
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder);
