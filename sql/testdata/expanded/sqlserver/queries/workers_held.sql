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
            CASE WHEN i.StartedAt IS NULL OR i.StartedAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN 0
                WHEN i.StartedAt <= DATEADD(year, -10, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) THEN 315360000000
                ELSE CAST(DATEDIFF(second, i.StartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) AS bigint) * 1000
                    + DATEPART(millisecond, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) - DATEPART(millisecond, i.StartedAt) END AS RunMs
        FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK) WHERE i.State = 1 AND (i.BatchLeaderId IS NULL OR i.BatchLeaderId = i.Id)
    ) r
) h
WHERE h.WorkerId IS NOT NULL
GROUP BY h.WorkerId, h.Priority, h.Running, h.Channel;
