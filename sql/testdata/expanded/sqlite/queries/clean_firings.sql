DELETE FROM BotScheduleFirings
WHERE Id IN (
    SELECT c.Id FROM BotScheduleFirings c
    WHERE c.PlannedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND c.RecordedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
      AND (EXISTS (SELECT 1 FROM BotScheduleFirings n
              WHERE n.Schedule = c.Schedule AND n.WorkerName = c.WorkerName AND n.PlannedAt > c.PlannedAt AND n.Reason <> 'backfill')
          OR c.WorkerName <> '' AND c.Schedule NOT LIKE 'task:%'
              AND NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Name = c.WorkerName))
      AND NOT EXISTS (SELECT 1 FROM BotTasks t
          WHERE c.Schedule LIKE 'task:%' AND t.Name = substr(c.Schedule, 6) AND t.SettledUntil <= c.PlannedAt)
    ORDER BY c.PlannedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
