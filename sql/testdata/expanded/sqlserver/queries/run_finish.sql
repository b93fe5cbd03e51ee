UPDATE BotPipelineRuns SET
    Outcome = @outcome,
    FailedStep = @failed_step,
    Error = @error_text,
    Summary = @summary,
    FinishedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
WHERE Id = @run AND Outcome = N'running';
