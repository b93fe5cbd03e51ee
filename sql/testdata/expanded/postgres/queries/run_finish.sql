UPDATE "BotPipelineRuns" SET
    "Outcome" = CAST(@outcome AS varchar),
    "FailedStep" = CAST(@failed_step AS varchar),
    "Error" = CAST(@error_text AS varchar),
    "Summary" = CAST(@summary AS varchar),
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Id" = @run AND "Outcome" = 'running';
