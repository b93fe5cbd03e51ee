INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
OUTPUT inserted.Schedule, inserted.WorkerName
SELECT j.Name, j.Instant, j.Holder, N'fired', j.Author, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (Name NVARCHAR(200) '$.Name', Task NVARCHAR(200) '$.Task', Holder NVARCHAR(200) '$.Holder', Instant DATETIME2(3) '$.Instant', Closes DATETIME2(3) '$.Closes', Author NVARCHAR(200) '$.Author') j
WHERE j.Instant <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) AND (j.Closes IS NULL OR j.Closes > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND EXISTS (SELECT 1 FROM BotTasks t WHERE t.Name = j.Task AND t.Active = 1)
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder)
  AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i
      WHERE i.TaskName = j.Task AND i.State IN (0, 1, 4, 5) AND i.DeletedAt IS NULL
        AND COALESCE(i.TaskScope, N'') = j.Holder);
