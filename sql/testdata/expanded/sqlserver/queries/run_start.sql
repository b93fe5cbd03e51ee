INSERT INTO BotPipelineRuns (Pipeline, TriggerName, PipelineHash, PlannedAt, WorkerId, StartedAt)
OUTPUT inserted.Id
VALUES (@pipeline, @trigger_name, @hash, CAST(@planned_at AS DATETIME2(3)), @worker, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))));
