DELETE FROM BotWorkers
WHERE LastSeenAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND (State = 'stopped' OR LeaseExpiresAt IS NULL OR LeaseExpiresAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND Id IN (
    SELECT w.Id FROM BotWorkers w
    WHERE w.LastSeenAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND (w.State = 'stopped' OR w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 5 AND i.WorkerId = w.Id)
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 1 AND i.WorkerId = w.Id)
    ORDER BY w.LastSeenAt, w.Id
    LIMIT CAST(@limit_rows AS INTEGER));
