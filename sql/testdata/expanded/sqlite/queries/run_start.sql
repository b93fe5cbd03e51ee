INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, RequestedBy, RequestId, StartedAt)
SELECT @pipeline, @trigger_name, @hash, @planned_at, @worker, @requested_by, @request, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = @pipeline AND pp.Paused = 1)
RETURNING Id;
