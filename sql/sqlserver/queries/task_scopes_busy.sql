-- task_scopes_busy: scope values of a task with an unfinished item.
-- In:  task
-- Out: the value, and when the first such item was created.
SELECT COALESCE(i.TaskScope, N''), MIN(i.CreatedAt)
FROM BotWorkQueueItems i
WHERE i.TaskName = CAST(@task AS NVARCHAR(450)) AND i.State IN (0, 1, 4, 5) AND i.DeletedAt IS NULL
GROUP BY i.TaskScope;
