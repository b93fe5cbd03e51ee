-- Workers that stopped sending heartbeats without a shutdown, running items whose
-- lease ran out, and assigned items that no worker will run: the next assignment
-- pass of any live worker releases these items. Also live workers with slots whose
-- handler was cancelled and does not stop: if it never does, restart the worker.
SELECT 'worker' AS What, w.Id, w.Name, w.Host, w.LastSeenAt AS Since,
    'its lease ran out: the process died, hangs or lost the database' AS Problem,
    NULL AS Step, NULL AS Progress
FROM BotWorkers w
WHERE w.State <> 'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < strftime('%Y-%m-%d %H:%M:%f', 'now'))
UNION ALL
SELECT 'running item', i.Id, COALESCE(w.Name, i.Robot), w.Host, i.LeaseExpiresAt,
    'its lease ran out: its run counts as dead', i.Step, i.Progress
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 1 AND (i.LeaseExpiresAt IS NULL OR i.LeaseExpiresAt < strftime('%Y-%m-%d %H:%M:%f', 'now'))
UNION ALL
SELECT 'assigned item', i.Id, w.Name, w.Host, i.AssignedAt,
    CASE WHEN w.Id IS NULL THEN 'its worker does not exist'
         WHEN w.State <> 'active' OR w.Gate IS NOT NULL THEN 'its worker takes no items'
         WHEN w.LeaseExpiresAt < strftime('%Y-%m-%d %H:%M:%f', 'now') THEN 'its worker does not beat'
         ELSE 'it has waited for its worker for more than ten minutes' END, NULL, NULL
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 5 AND (w.Id IS NULL OR w.State <> 'active' OR w.Gate IS NOT NULL OR w.LeaseExpiresAt < strftime('%Y-%m-%d %H:%M:%f', 'now')
    OR i.AssignedAt IS NULL OR i.AssignedAt < strftime('%Y-%m-%d %H:%M:%f', 'now', '-10 minutes'))
UNION ALL
SELECT 'stuck slots', w.Id, w.Name, w.Host, w.LastSeenAt,
    CAST(w.StuckSlots AS TEXT) || ' of ' || CAST(w.Capacity AS TEXT) || ' slots: their handlers were cancelled and do not stop', NULL, NULL
FROM BotWorkers w
WHERE w.State <> 'stopped' AND w.StuckSlots > 0 AND w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now')
ORDER BY 1, 2;
