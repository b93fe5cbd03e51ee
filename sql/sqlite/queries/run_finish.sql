-- run_finish: record the end of a run.
-- In:  run, outcome, failed_step (NULL: none), error_text (NULL: none), summary (NULL: none), now (NULL: the database clock)
UPDATE BotPipelineRuns SET
    Outcome = @outcome,
    FailedStep = @failed_step,
    Error = @error_text,
    Summary = @summary,
    FinishedAt = {{now}}
WHERE Id = @run AND Outcome = 'running';
