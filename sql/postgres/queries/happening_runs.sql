-- happening_runs: runs of system pipelines that failed since a time and were not seen by an evaluation yet, the first
-- first.
-- In:  since, limit_rows, text_len (characters)
-- Out: as happening_items.
SELECT r."Id", r."FinishedAt", NULL, r."Pipeline", r."FailedStep", NULL, LEFT(r."Error", CAST(@text_len AS integer)), w."Name", r."PlannedAt", NULL
FROM "BotPipelineRuns" r
LEFT JOIN "BotWorkers" w ON w."Id" = r."WorkerId"
WHERE r."Outcome" = 'failed' AND r."FinishedAt" >= CAST(@since AS timestamptz)
  AND NOT EXISTS (SELECT 1 FROM "BotNotificationSeen" s WHERE s."Source" = 'run' AND s."RefId" = r."Id" AND s."At" = r."FinishedAt")
ORDER BY r."FinishedAt", r."Id"
LIMIT @limit_rows;
