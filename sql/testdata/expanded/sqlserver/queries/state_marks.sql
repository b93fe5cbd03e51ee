SELECT N'queue', CAST(0 AS BIGINT), q.Name, N'', CAST(q.Revision AS BIGINT), CAST(q.Paused AS INT)
FROM BotQueues q
UNION ALL
SELECT N'worker', w.Id, w.Name, w.State, 0,
    CASE WHEN w.State <> N'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))) THEN 1 ELSE 0 END
FROM BotWorkers w
UNION ALL
SELECT N'run', r.Id, r.Pipeline, r.Outcome, 0, 0
FROM (
    SELECT TOP (@limit_rows) l.Id, l.Pipeline, l.Outcome
    FROM BotPipelineRuns l
    ORDER BY l.Id DESC
) r;
