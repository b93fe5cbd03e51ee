DELETE t
FROM BotWorkers t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE LastSeenAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND (State = N'stopped' OR LeaseExpiresAt IS NULL OR LeaseExpiresAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND Id IN (
    SELECT TOP (@limit_rows) w.Id FROM BotWorkers w WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE w.LastSeenAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND (w.State = N'stopped' OR w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 5 AND i.WorkerId = w.Id)
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 1 AND i.WorkerId = w.Id)
    ORDER BY w.LastSeenAt, w.Id);
