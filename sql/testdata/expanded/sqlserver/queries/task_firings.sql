SELECT f.Schedule, f.PlannedAt, f.WorkerName, f.Outcome, f.Reason, f.RecordedBy, f.RecordedAt
FROM OPENJSON(@rows) WITH (Name NVARCHAR(200) '$.Name', Since DATETIME2(3) '$.Since') j
JOIN BotScheduleFirings f ON f.Schedule = j.Name AND f.PlannedAt >= j.Since;
