-- clean_workers: remove the rows of workers that have been stopped for an age and hold no item.
-- Items and attempts keep the id of the worker, attempts also its name.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotWorkers t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE LastSeenAt <= {{now_minus ms=@age_ms}} AND (State = N'stopped' OR LeaseExpiresAt IS NULL OR LeaseExpiresAt <= {{now}})
  AND Id IN (
    SELECT TOP (@limit_rows) w.Id FROM BotWorkers w WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE w.LastSeenAt <= {{now_minus ms=@age_ms}} AND (w.State = N'stopped' OR w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt <= {{now}})
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 5 AND i.WorkerId = w.Id)
      AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.State = 1 AND i.WorkerId = w.Id)
    ORDER BY w.LastSeenAt, w.Id);
