SELECT COALESCE(i.TaskScope, ''), MIN(i.CreatedAt)
FROM BotWorkQueueItems i
WHERE i.TaskName = @task AND i.State NOT BETWEEN 2 AND 3 AND i.DeletedAt IS NULL
GROUP BY i.TaskScope;
