INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, StartedAt)
VALUES (@pipeline, @trigger_name, @hash, @planned_at, @worker, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
RETURNING Id;
