-- run_start: record the start of a system pipeline, unless it is paused.
-- In:  pipeline, trigger_name, hash (NULL: unknown), planned_at (NULL: none), worker, requested_by (NULL: not requested),
--      request (NULL: none), now (NULL: the database clock)
-- Out: the run's id; no row if the pipeline is paused.
INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PipelineHash", "PlannedAt", "WorkerId", "RequestedBy", "RequestId", "StartedAt")
SELECT CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), CAST(@hash AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker AS bigint), CAST(@requested_by AS varchar), CAST(@request AS bigint), {{now}}
WHERE NOT {{paused name=@pipeline}}
RETURNING "Id";
