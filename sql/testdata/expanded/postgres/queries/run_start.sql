INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PipelineHash", "PlannedAt", "WorkerId", "StartedAt")
VALUES (CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), CAST(@hash AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker AS bigint), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
RETURNING "Id";
