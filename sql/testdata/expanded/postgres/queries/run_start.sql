INSERT INTO "BotPipelineRuns" ("Pipeline", "TriggerName", "PipelineHash", "PlannedAt", "WorkerId", "RequestedBy", "RequestId", "StartedAt")
SELECT CAST(@pipeline AS varchar), CAST(@trigger_name AS varchar), CAST(@hash AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker AS bigint), CAST(@requested_by AS varchar), CAST(@request AS bigint), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelinePauses" pp WHERE pp."Pipeline" = @pipeline AND pp."Paused" = TRUE)
RETURNING "Id";
