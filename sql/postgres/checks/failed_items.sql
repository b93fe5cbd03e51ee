-- failed_items: items of a page that failed before, to compare them with their limit.
-- In:  after_id, last_id, limit_rows
-- Out: id, state, queue, failures, its own policy, its pipeline, when it was due, when it ended,
--      whether it has an error, and when the failed attempt before its current one (or its last one
--      if it is not final) started.
SELECT i."Id", i."State", i."QueueName", i."RetryCount", i."ResilienceConfig", i."IntegrationConfig", i."AvailableAt", i."FinishedAt",
    CASE WHEN i."Error" IS NULL THEN 0 ELSE 1 END,
    (SELECT MAX(a."StartedAt") FROM "BotWorkItemAttempts" a
     WHERE a."ItemId" = i."Id" AND a."Outcome" IN ('failed', 'timeout') AND (a."Fence" < i."Fence" OR i."State" NOT IN (2, 3)))
FROM "BotWorkQueueItems" i
WHERE i."Id" > @after_id AND i."Id" <= @last_id AND i."RetryCount" >= 1 AND i."State" IN (0, 1, 2, 3, 4, 5)
ORDER BY i."Id"
LIMIT @limit_rows;
