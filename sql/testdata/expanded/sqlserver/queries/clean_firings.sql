DELETE t
FROM BotScheduleFirings t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotScheduleFirings c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.PlannedAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND c.RecordedAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND (EXISTS (SELECT 1 FROM BotScheduleFirings n WITH (READPAST, READCOMMITTEDLOCK)
              WHERE n.Schedule = c.Schedule AND n.WorkerName = c.WorkerName AND n.PlannedAt > c.PlannedAt AND n.Reason <> N'backfill')
          OR c.WorkerName <> N'' AND c.Schedule NOT LIKE N'task:%'
              AND NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = c.WorkerName))
      AND NOT EXISTS (SELECT 1 FROM BotTasks t
          WHERE c.Schedule LIKE N'task:%' AND t.Name = SUBSTRING(c.Schedule, 6, 200) AND t.SettledUntil <= c.PlannedAt)
    ORDER BY c.PlannedAt, c.Id);
