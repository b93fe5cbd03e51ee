-- run_finish: it has ended.
-- In:  run, outcome, error_text (NULL: none), summary (NULL: none), now (NULL: the database clock)
UPDATE "BotPipelineRuns" SET
    "Outcome" = CAST(@outcome AS varchar),
    "Error" = CAST(@error_text AS varchar),
    "Summary" = CAST(@summary AS varchar),
    "FinishedAt" = {{now}}
WHERE "Id" = @run AND "Outcome" = 'running';
