-- runs_elsewhere: does a run of the pipeline go on under another live worker?
-- In:  pipeline, worker, now (NULL: the database clock)
-- Out: since when; NULL when there is none.
SELECT MIN(r."StartedAt")
FROM "BotPipelineRuns" r
JOIN "BotWorkers" w ON w."Id" = r."WorkerId"
WHERE r."Pipeline" = @pipeline AND r."Outcome" = 'running' AND r."WorkerId" <> @worker
  AND w."State" <> 'stopped' AND w."LeaseExpiresAt" >= {{now}} AND r."StartedAt" >= w."StartedAt";
