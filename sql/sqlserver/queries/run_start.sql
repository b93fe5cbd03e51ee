-- run_start: record the start of a system pipeline, unless it is paused.
-- In:  pipeline, trigger_name, hash (NULL: unknown), planned_at (NULL: none), worker, requested_by (NULL: not requested),
--      request (NULL: none), now (NULL: the database clock)
-- Out: the run's id; no row if the pipeline is paused.
INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, RequestedBy, RequestId, StartedAt)
OUTPUT inserted.Id
SELECT @pipeline, @trigger_name, @hash, CAST(@planned_at AS DATETIME2(3)), @worker, @requested_by, @request, {{now}}
WHERE NOT {{paused name=CAST(@pipeline AS NVARCHAR(450))}};
