-- state_marks: what changes when queues, workers and runs of system pipelines do, for the clients of events.
-- One statement reads all three, because it runs every few seconds while anybody follows events.
-- In:  limit_rows (of runs, the latest first), now (NULL: the database clock)
-- Out: kind (queue, worker, run), id, name, state or outcome, revision, 1 if it is paused or lost.
SELECT 'queue', 0, q.Name, '', q.Revision, q.Paused
FROM BotQueues q
UNION ALL
SELECT 'worker', w.Id, w.Name, w.State, 0,
    CASE WHEN w.State <> 'stopped' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt < {{now_once}}) THEN 1 ELSE 0 END
FROM BotWorkers w
UNION ALL
SELECT 'run', r.Id, r.Pipeline, r.Outcome, 0, 0
FROM (
    SELECT l.Id, l.Pipeline, l.Outcome
    FROM BotPipelineRuns l
    ORDER BY l.Id DESC
    LIMIT CAST(@limit_rows AS INTEGER)
) r;
