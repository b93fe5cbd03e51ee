-- run_start: a system pipeline starts.
-- In:  pipeline, trigger_name, planned_at (NULL: none), worker, now (NULL: the database clock)
-- Out: the run's id.
INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PlannedAt, WorkerId, StartedAt)
VALUES (@pipeline, @trigger_name, @planned_at, @worker, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
RETURNING Id;
