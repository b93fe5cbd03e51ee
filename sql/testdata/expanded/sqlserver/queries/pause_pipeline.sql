UPDATE BotPipelinePauses SET
    Paused = @paused,
    Reason = @reason,
    ChangedBy = @changed_by,
    ChangedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND Paused <> @paused;
