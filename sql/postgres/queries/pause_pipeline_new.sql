-- pause_pipeline_new: pause a pipeline that was never paused.
-- In:  pipeline, paused, reason, changed_by, now (NULL: the database clock)
INSERT INTO "BotPipelinePauses" ("Pipeline", "Paused", "Reason", "ChangedBy", "ChangedAt")
SELECT CAST(@pipeline AS varchar), CAST(@paused AS boolean), CAST(@reason AS varchar), CAST(@changed_by AS varchar), {{now}}
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelinePauses" p WHERE p."Pipeline" = @pipeline);
