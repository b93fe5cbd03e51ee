INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, RequestedBy, RequestId, StartedAt)
OUTPUT inserted.Id
SELECT @pipeline, @trigger_name, @hash, CAST(@planned_at AS DATETIME2(3)), @worker, @requested_by, @request, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND pp.Paused = 1);
