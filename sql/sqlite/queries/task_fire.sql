-- task_fire: record that windows are served. The unique key allows one record; the items are
-- inserted in the same transaction. It skips a window that has a record, that has not started yet
-- or has passed, whose task is not active, or if an unfinished item of its task and scope exists.
-- In:  rows [{Name, Task, Holder, Instant, Closes, Author}], now (NULL: the database clock)
-- Out: schedule and scope value of the recorded windows.
INSERT INTO BotScheduleFirings (Schedule, PlannedAt, WorkerName, Outcome, RecordedBy, RecordedAt)
SELECT j.Name, j.Instant, j.Holder, 'fired', j.Author, {{now}}
FROM (SELECT json_extract(value, '$.Name') AS Name, json_extract(value, '$.Task') AS Task, json_extract(value, '$.Holder') AS Holder, json_extract(value, '$.Instant') AS Instant, json_extract(value, '$.Closes') AS Closes, json_extract(value, '$.Author') AS Author
      FROM jsonb_each(@rows)) j
WHERE j.Instant <= {{now}} AND (j.Closes IS NULL OR j.Closes > {{now}})
  AND EXISTS (SELECT 1 FROM BotTasks t WHERE t.Name = j.Task AND t.Active = 1)
  AND NOT EXISTS (SELECT 1 FROM BotScheduleFirings f
      WHERE f.Schedule = j.Name AND f.PlannedAt = j.Instant AND f.WorkerName = j.Holder)
  AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i
      WHERE i.TaskName = j.Task AND i.State NOT BETWEEN 2 AND 3 AND i.DeletedAt IS NULL
        AND COALESCE(i.TaskScope, '') = j.Holder)
RETURNING Schedule, WorkerName;
