-- task_failures: cancelled items of tasks whose failure was not handled yet, the oldest first.
-- In:  limit_rows
-- Out: the columns for a notification; 1 if the item is retried as a copy or was deleted: then
--      there is no notification.
SELECT i."Id", i."TaskName", i."TaskScope", i."QueueName", i."Priority", COALESCE(i."TaskPlannedAt", i."CreatedAt"), i."DeadlineAt",
    i."IntegrationConfig", i."Error", i."ErrorKind", i."RetryCount", i."FinishedAt",
    CASE WHEN i."DeletedAt" IS NOT NULL OR EXISTS (SELECT 1 FROM "BotWorkQueueItems" c
        WHERE c."RootId" IS NOT NULL AND c."RootId" = COALESCE(i."RootId", i."Id") AND c."Id" > i."Id") THEN 1 ELSE 0 END
FROM "BotWorkQueueItems" i
WHERE i."State" = 3 AND i."TaskName" IS NOT NULL AND i."TaskNotifiedAt" IS NULL
ORDER BY i."Id"
LIMIT @limit_rows;
