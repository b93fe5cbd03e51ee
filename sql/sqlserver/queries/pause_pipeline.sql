-- pause_pipeline: pause or resume a pipeline that was paused before. One that is already in that state
-- does not change.
-- In:  pipeline, paused, reason, changed_by, now (NULL: the database clock)
UPDATE BotPipelinePauses SET
    Paused = @paused,
    Reason = @reason,
    ChangedBy = @changed_by,
    ChangedAt = {{now}}
WHERE Pipeline = CAST(@pipeline AS NVARCHAR(450)) AND Paused <> @paused;
