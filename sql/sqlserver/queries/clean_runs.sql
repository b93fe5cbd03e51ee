-- clean_runs: remove runs of system pipelines that have reached an age, but no running one. A run
-- has ended if its worker has stopped or restarted. The run of the latest planned instant of each
-- pipeline and worker stays, unless it is a backfill: see last_firing.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotPipelineRuns t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotPipelineRuns c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.StartedAt <= {{now_minus ms=@age_ms}} AND COALESCE(c.FinishedAt, c.StartedAt) <= {{now_minus ms=@age_ms}}
      AND (c.Outcome <> N'running' OR NOT EXISTS (SELECT 1 FROM BotWorkers w
              WHERE w.Id = c.WorkerId AND w.State <> N'stopped' AND w.LeaseExpiresAt >= {{now}} AND c.StartedAt >= w.StartedAt))
      AND (c.PlannedAt IS NULL
          OR NOT EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = c.WorkerId)
          OR EXISTS (SELECT 1 FROM BotPipelineRuns n WITH (READPAST, READCOMMITTEDLOCK)
              WHERE n.Pipeline = c.Pipeline AND n.WorkerId = c.WorkerId AND n.PlannedAt > c.PlannedAt AND n.TriggerName <> N'backfill'))
    ORDER BY c.StartedAt, c.Id);
