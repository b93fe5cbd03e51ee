-- state_marks: what changes when queues, workers and runs of system pipelines do, for the clients of events.
-- One statement reads all three, because it runs every few seconds while anybody follows events.
-- In:  limit_rows (of runs, the latest first), now (NULL: the database clock)
-- Out: kind (queue, worker, run), id, name, state or outcome, revision, 1 if it is paused or lost.
SELECT N'queue', CAST(0 AS BIGINT), q.Name, N'', CAST(q.Revision AS BIGINT), CAST(q.Paused AS INT)
FROM BotQueues q
UNION ALL
SELECT N'worker', w.Id, w.Name, w.State, 0,
    CASE WHEN w.State <> N'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < {{now}}) THEN 1 ELSE 0 END
FROM BotWorkers w
UNION ALL
SELECT N'run', r.Id, r.Pipeline, r.Outcome, 0, 0
FROM (
    SELECT TOP (@limit_rows) l.Id, l.Pipeline, l.Outcome
    FROM BotPipelineRuns l
    ORDER BY l.Id DESC
) r;
