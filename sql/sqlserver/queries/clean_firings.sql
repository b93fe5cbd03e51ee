-- clean_firings: remove records of planned instants that have reached an age. The latest record of
-- each schedule and worker (for a task: and scope value) stays, because the next instant is
-- computed from it, unless the worker itself was removed. A task's records stay until its windows
-- are settled.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotScheduleFirings t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotScheduleFirings c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.PlannedAt <= {{now_minus ms=@age_ms}} AND c.RecordedAt <= {{now_minus ms=@age_ms}}
      AND (EXISTS (SELECT 1 FROM BotScheduleFirings n WITH (READPAST, READCOMMITTEDLOCK)
              WHERE n.Schedule = c.Schedule AND n.WorkerName = c.WorkerName AND n.PlannedAt > c.PlannedAt AND n.Reason <> N'backfill')
          OR c.WorkerName <> N'' AND c.Schedule NOT LIKE N'task:%'
              AND NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = c.WorkerName))
      AND NOT EXISTS (SELECT 1 FROM BotTasks t
          WHERE c.Schedule LIKE N'task:%' AND t.Name = SUBSTRING(c.Schedule, 6, 200) AND t.SettledUntil <= c.PlannedAt)
    ORDER BY c.PlannedAt, c.Id);
