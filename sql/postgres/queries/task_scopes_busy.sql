-- task_scopes_busy: scope values of a task of which an item has not ended.
-- In:  task
SELECT DISTINCT COALESCE(i."TaskScope", '')
FROM "BotWorkQueueItems" i
WHERE i."TaskName" = @task AND i."State" IN (0, 1, 4, 5) AND i."DeletedAt" IS NULL;
