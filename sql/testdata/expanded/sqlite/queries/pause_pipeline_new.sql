INSERT INTO BotPipelinePauses (Pipeline, Paused, Reason, ChangedBy, ChangedAt)
SELECT @pipeline, @paused, @reason, @changed_by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotPipelinePauses p WHERE p.Pipeline = @pipeline);
