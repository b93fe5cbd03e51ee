INSERT INTO "BotPipelinePauses" ("Pipeline", "Paused", "Reason", "ChangedBy", "ChangedAt")
SELECT CAST(@pipeline AS varchar), CAST(@paused AS boolean), CAST(@reason AS varchar), CAST(@changed_by AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelinePauses" p WHERE p."Pipeline" = @pipeline);
