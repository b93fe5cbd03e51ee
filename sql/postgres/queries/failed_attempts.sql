-- failed_attempts: failed attempts that ended in a period, and those whose worker died; the latest
-- first. Attempts that ended at until are included if their id is smaller than before_id.
-- In:  since, until, before_id (0: none), limit_rows, name_len and text_len (characters)
-- Out: id, item, queue, pipeline, step, error kind, error, worker, host, 1 if the worker died, end.
SELECT a."Id", a."ItemId", i."QueueName", LEFT(i."IntegrationConfig", CAST(@name_len AS integer)), a."Step", a."ErrorKind",
    LEFT(a."Error", CAST(@text_len AS integer)), a."WorkerName", a."Host", CASE WHEN a."Outcome" = 'rescued' THEN 1 ELSE 0 END, a."FinishedAt"
FROM "BotWorkItemAttempts" a
JOIN "BotWorkQueueItems" i ON i."Id" = a."ItemId"
WHERE a."Outcome" IN ('failed', 'timeout', 'rescued')
  AND a."FinishedAt" >= CAST(@since AS timestamptz) AND a."FinishedAt" <= CAST(@until AS timestamptz)
  AND (a."FinishedAt" < CAST(@until AS timestamptz) OR a."Id" < CAST(@before_id AS bigint))
ORDER BY a."FinishedAt" DESC, a."Id" DESC
LIMIT @limit_rows;
