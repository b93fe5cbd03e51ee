INSERT INTO BotPipelinePauses (Pipeline, Paused, Reason, ChangedBy, ChangedAt)
SELECT @pipeline, @paused, @reason, @changed_by, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses p WHERE p.Pipeline = CAST(@pipeline AS NVARCHAR(450)));
