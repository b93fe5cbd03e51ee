UPDATE BotPipelinePauses SET
    Paused = @paused,
    Reason = @reason,
    ChangedBy = @changed_by,
    ChangedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Pipeline = @pipeline AND Paused <> @paused;
