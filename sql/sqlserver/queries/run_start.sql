-- run_start: a system pipeline starts.
-- In:  pipeline, trigger_name, hash (NULL: not known), planned_at (NULL: none), worker, now (NULL: the database clock)
-- Out: the run's id.
INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, StartedAt)
OUTPUT inserted.Id
VALUES (@pipeline, @trigger_name, @hash, CAST(@planned_at AS DATETIME2(3)), @worker, {{now}});
