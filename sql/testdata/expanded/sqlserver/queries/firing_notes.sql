INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, Reason, RecordedBy, RecordedAt)
SELECT j.Name, j.Instant, j.Holder, j.Result, j.Cause, j.Author, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (Name NVARCHAR(200) '$.Name', Instant DATETIME2(3) '$.Instant', Holder NVARCHAR(200) '$.Holder',
    Result NVARCHAR(20) '$.Result', Cause NVARCHAR(1000) '$.Cause', Author NVARCHAR(200) '$.Author') j
WHERE NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
    WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder);
