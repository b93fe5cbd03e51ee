-- run_start: a system pipeline starts.
-- In:  pipeline, trigger_name, hash (NULL: not known), planned_at (NULL: none), worker, now (NULL: the database clock)
-- Out: the run's id.
INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PipelineHash", "PlannedAt", "WorkerId", "StartedAt")
VALUES (CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), CAST(@hash AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker AS bigint), {{now}})
RETURNING "Id";
