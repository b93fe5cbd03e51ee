-- run_finish: record the end of a run.
-- In:  run, outcome, failed_step (NULL: none), error_text (NULL: none), summary (NULL: none), now (NULL: the database clock)
UPDATE "BotPipelineRuns" SET
    "Outcome" = CAST(@outcome AS varchar),
    "FailedStep" = CAST(@failed_step AS varchar),
    "Error" = CAST(@error_text AS varchar),
    "Summary" = CAST(@summary AS varchar),
    "FinishedAt" = {{now}}
WHERE "Id" = @run AND "Outcome" = 'running';
