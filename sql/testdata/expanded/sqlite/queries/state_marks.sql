SELECT 'queue', 0, q.Name, '', q.Revision, q.Paused
FROM BotQueues q
UNION ALL
SELECT 'worker', w.Id, w.Name, w.State, 0,
    CASE WHEN w.State <> 'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))) THEN 1 ELSE 0 END
FROM BotWorkers w
UNION ALL
SELECT 'run', r.Id, r.Pipeline, r.Outcome, 0, 0
FROM (
    SELECT l.Id, l.Pipeline, l.Outcome
    FROM BotPipelineRuns l
    ORDER BY l.Id DESC
    LIMIT CAST(@limit_rows AS INTEGER)
) r;
