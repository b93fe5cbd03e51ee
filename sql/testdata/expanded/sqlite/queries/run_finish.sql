UPDATE BotPipelineRuns SET
    Outcome = @outcome,
    FailedStep = @failed_step,
    Error = @error_text,
    Summary = @summary,
    FinishedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Id = @run AND Outcome = 'running';
