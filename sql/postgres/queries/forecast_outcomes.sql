-- forecast_outcomes: kept forecasts with what has happened to their items, the latest first. Forecasts that were made at until
-- are included if their id is smaller than before_id.
-- In:  since, until, before_id (0: none), queue and pipeline (NULL: any), limit_rows
-- Out: id, when it was made, item, queue, pipeline, start and end as p50 and p95, state of the item (NULL: it is gone), error
--      kind, end, 1 if the item was deleted, 1 if it was changed: it has another priority or queue, or another due time or fewer
--      failures although no attempt failed.
SELECT f."Id", f."MadeAt", f."ItemId", f."QueueName", f."Pipeline", f."StartP50", f."StartP95", f."EndP50", f."EndP95", i."State", i."ErrorKind", i."FinishedAt",
    CASE WHEN i."DeletedAt" IS NOT NULL THEN 1 ELSE 0 END,
    CASE WHEN i."Priority" <> f."Priority" OR i."QueueName" <> f."QueueName" OR i."RetryCount" < f."Failures" OR i."RetryCount" = f."Failures" AND i."AvailableAt" <> f."DueAt" THEN 1 ELSE 0 END
FROM "BotForecasts" f
LEFT JOIN "BotWorkQueueItems" i ON i."Id" = f."ItemId"
WHERE f."MadeAt" >= CAST(@since AS timestamptz) AND f."MadeAt" <= CAST(@until AS timestamptz) AND (f."MadeAt" < CAST(@until AS timestamptz) OR f."Id" < CAST(@before_id AS bigint))
  AND (CAST(@queue AS text) IS NULL OR f."QueueName" = CAST(@queue AS text)) AND (CAST(@pipeline AS text) IS NULL OR f."Pipeline" = CAST(@pipeline AS text))
ORDER BY f."MadeAt" DESC, f."Id" DESC
LIMIT @limit_rows;
