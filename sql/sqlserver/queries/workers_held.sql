-- workers_held: what workers hold: all running items, and assigned items from a priority on. Two
-- halves, so that each uses its index. An estimate counts from 0 to ten years: a value written by
-- hand may be anything, and a sum that overflows would fail every pass. A running item counts with
-- the rest of its estimate; after that, with as long as it has run already.
-- Of items that run together, only the one that started the run counts: they use its slots.
-- In:  min_priority, default_ms, now (NULL: the database clock)
-- Out: worker, priority, 1 if running, channel, number of items, the milliseconds that they are
--      still expected to take, when the latest of them was assigned or started.
SELECT h.WorkerId, h.Priority, h.Running, h.Channel, COUNT(*), SUM(h.Ms), MAX(h.Since)
FROM (
    SELECT i.WorkerId, i.Priority, 0 AS Running, i.Channel, i.AssignedAt AS Since,
        CASE WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) < 0 THEN 0
             WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) > 315360000000 THEN 315360000000 ELSE COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) END AS Ms
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK) WHERE i.State = 5 AND i.Priority >= @min_priority
    UNION ALL
    SELECT r.WorkerId, r.Priority, 1 AS Running, r.Channel, r.Since, CASE WHEN r.RunMs < r.Ms THEN r.Ms - r.RunMs ELSE r.RunMs END AS Ms
    FROM (
        SELECT i.WorkerId, i.Priority, i.Channel, i.StartedAt AS Since,
            CASE WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) IS NULL THEN CAST(@default_ms AS bigint) WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) < 0 THEN 0
                 WHEN COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) > 315360000000 THEN 315360000000 ELSE COALESCE(i.AssignedEstimateMs, i.EstimatedDurationMs) END AS Ms,
            CASE WHEN i.StartedAt IS NULL OR i.StartedAt >= {{now}} THEN 0
                WHEN i.StartedAt <= DATEADD(year, -10, {{now}}) THEN 315360000000
                ELSE CAST(DATEDIFF(second, i.StartedAt, {{now}}) AS bigint) * 1000
                    + DATEPART(millisecond, {{now}}) - DATEPART(millisecond, i.StartedAt) END AS RunMs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK) WHERE i.State = 1 AND (i.BatchLeaderId IS NULL OR i.BatchLeaderId = i.Id)
    ) r
) h
WHERE h.WorkerId IS NOT NULL
GROUP BY h.WorkerId, h.Priority, h.Running, h.Channel;
