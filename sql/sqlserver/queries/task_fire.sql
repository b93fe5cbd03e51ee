-- task_fire: record that windows are served. The unique key allows one record; the items are
-- inserted in the same transaction. It skips a window that has a record, that has not started yet
-- or has passed, whose task is not active, or if an unfinished item of its task and scope exists.
-- In:  rows [{Name, Task, Holder, Instant, Closes, Author}], now (NULL: the database clock)
-- Out: schedule and scope value of the recorded windows.
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
OUTPUT inserted.Schedule, inserted.WorkerName
SELECT j.Name, j.Instant, j.Holder, N'fired', j.Author, {{now}}
FROM OPENJSON(@rows) WITH (Name NVARCHAR(200) '$.Name', Task NVARCHAR(200) '$.Task', Holder NVARCHAR(200) '$.Holder', Instant DATETIME2(3) '$.Instant', Closes DATETIME2(3) '$.Closes', Author NVARCHAR(200) '$.Author') j
WHERE j.Instant <= {{now}} AND (j.Closes IS NULL OR j.Closes > {{now}})
  AND EXISTS (SELECT 1 FROM BotTasks t WHERE t.Name = j.Task AND t.Active = 1)
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder)
  AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i
      WHERE i.TaskName = j.Task AND i.State IN (0, 1, 4, 5) AND i.DeletedAt IS NULL
        AND COALESCE(i.TaskScope, N'') = j.Holder);
