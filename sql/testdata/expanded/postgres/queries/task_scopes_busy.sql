SELECT COALESCE(i."TaskScope", ''), MIN(i."CreatedAt")
FROM "BotWorkQueueItems" i
WHERE i."TaskName" = @task AND i."State" IN (0, 1, 4, 5) AND i."DeletedAt" IS NULL
GROUP BY i."TaskScope";
