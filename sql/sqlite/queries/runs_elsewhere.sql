-- runs_elsewhere: whether another live worker is running the pipeline.
-- In:  pipeline, worker, now (NULL: the database clock)
-- Out: since when; NULL if none is.
SELECT MIN(r.StartedAt)
FROM BotPipelineRuns r
JOIN BotWorkers w ON w.Id = r.WorkerId
WHERE r.Pipeline = @pipeline AND r.Outcome = 'running' AND r.WorkerId <> @worker
  AND w.State <> 'stopped' AND w.LeaseExpiresAt >= {{now}} AND r.StartedAt >= w.StartedAt;
