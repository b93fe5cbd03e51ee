-- task_scopes_busy: scope values of a task with an unfinished item.
-- In:  task
-- Out: the value, and when the first such item was created.
SELECT COALESCE(i.TaskScope, ''), MIN(i.CreatedAt)
FROM BotWorkQueueItems i
WHERE i.TaskName = @task AND i.State NOT BETWEEN 2 AND 3 AND i.DeletedAt IS NULL
GROUP BY i.TaskScope;
