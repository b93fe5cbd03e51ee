-- Workers that stopped sending heartbeats without a shutdown, running items whose
-- lease ran out, and assigned items that no worker will run: the next assignment
-- pass of any live worker releases these items. Also live workers with slots whose
-- handler was cancelled and does not stop: if it never does, restart the worker.
SELECT N'worker' AS What, w.Id, w.Name, w.Host, w.LastSeenAt AS Since,
    N'its lease ran out: the process died, hangs or lost the database' AS Problem,
    CAST(NULL AS NVARCHAR(200)) AS Step, CAST(NULL AS NVARCHAR(MAX)) AS Progress
FROM BotWorkers w
WHERE w.State <> N'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < SYSUTCDATETIME())
UNION ALL
SELECT N'running item', i.Id, COALESCE(w.Name, i.Robot), w.Host, i.LeaseExpiresAt,
    N'its lease ran out: its run counts as dead', i.Step, i.Progress
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < SYSUTCDATETIME())
UNION ALL
SELECT N'assigned item', i.Id, w.Name, w.Host, i.AssignedAt,
    CASE WHEN w.Id IS NULL THEN N'its worker does not exist'
         WHEN w.State <> N'active' OR w.Gate IS NOT NULL THEN N'its worker takes no items'
         WHEN w.LeaseExpiresAt < SYSUTCDATETIME() THEN N'its worker does not beat'
         ELSE N'it has waited for its worker for more than ten minutes' END, NULL, NULL
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 5 AND (w.Id IS NULL OR w.State <> N'active' OR w.Gate IS NOT NULL OR w.LeaseExpiresAt < SYSUTCDATETIME()
    OR i.AssignedAt IS NULL OR i.AssignedAt < DATEADD(minute, -10, SYSUTCDATETIME()))
UNION ALL
SELECT N'stuck slots', w.Id, w.Name, w.Host, w.LastSeenAt,
    CONCAT(w.StuckSlots, N' of ', w.Capacity, N' slots: their handlers were cancelled and do not stop'), NULL, NULL
FROM BotWorkers w
WHERE w.State <> N'stopped' AND w.StuckSlots > 0 AND w.LeaseExpiresAt >= SYSUTCDATETIME()
ORDER BY 1, 2;
