SELECT TOP (@limit_rows) i.Id, i.TaskName, COALESCE(i.TaskScope, N''), i.QueueName, i.Priority, COALESCE(i.TaskPlannedAt, i.CreatedAt), i.DeadlineAt
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State IN (0, 4) AND i.TaskName IS NOT NULL
  AND i.State = @state AND i.Id > @after_id AND i.DeletedAt IS NULL
  AND (i.TaskPriority IS NULL OR i.TaskPriority = i.Priority)
ORDER BY i.Id;
