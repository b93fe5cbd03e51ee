UPDATE "BotPipelinePauses" SET
    "Paused" = CAST(@paused AS boolean),
    "Reason" = CAST(@reason AS varchar),
    "ChangedBy" = CAST(@changed_by AS varchar),
    "ChangedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Pipeline" = @pipeline AND "Paused" <> CAST(@paused AS boolean);
