-- run_start: a system pipeline starts.
-- In:  pipeline, trigger_name, planned_at (NULL: none), worker, now (NULL: the database clock)
-- Out: the run's id.
INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PlannedAt, WorkerId, StartedAt)
OUTPUT inserted.Id
VALUES (@pipeline, @trigger_name, CAST(@planned_at AS DATETIME2(3)), @worker, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))));
