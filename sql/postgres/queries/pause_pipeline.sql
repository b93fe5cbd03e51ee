-- pause_pipeline: pause or resume a pipeline that was paused before. One that is already in that state
-- does not change.
-- In:  pipeline, paused, reason, changed_by, now (NULL: the database clock)
UPDATE "BotPipelinePauses" SET
    "Paused" = CAST(@paused AS boolean),
    "Reason" = CAST(@reason AS varchar),
    "ChangedBy" = CAST(@changed_by AS varchar),
    "ChangedAt" = {{now}}
WHERE "Pipeline" = @pipeline AND "Paused" <> CAST(@paused AS boolean);
