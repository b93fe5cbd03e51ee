-- run_finish: it has ended.
-- In:  run, outcome, error_text (NULL: none), summary (NULL: none), now (NULL: the database clock)
UPDATE BotPipelineRuns SET
    Outcome = @outcome,
    Error = @error_text,
    Summary = @summary,
    FinishedAt = {{now}}
WHERE Id = @run AND Outcome = N'running';
