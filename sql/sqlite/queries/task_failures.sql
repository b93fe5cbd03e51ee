-- task_failures: cancelled items of tasks that nobody has taken to tell of, the oldest first.
-- In:  limit_rows
-- Out: what a notification tells; 1 for an item that is tried again as a copy, or was
--      dropped: that is no news.
SELECT i.Id, i.TaskName, i.TaskScope, i.QueueName, i.Priority, COALESCE(i.TaskPlannedAt, i.CreatedAt), i.DeadlineAt,
    i.IntegrationConfig, i.Error, i.ErrorKind, i.RetryCount, i.FinishedAt,
    CASE WHEN i.DeletedAt IS NOT NULL OR EXISTS (SELECT 1 FROM BotWorkQueueItems c
        WHERE c.RootId IS NOT NULL AND c.RootId = COALESCE(i.RootId, i.Id) AND c.Id > i.Id) THEN 1 ELSE 0 END
FROM BotWorkQueueItems i
WHERE i.State = 3 AND i.TaskName IS NOT NULL AND i.TaskNotifiedAt IS NULL
ORDER BY i.Id
LIMIT CAST(@limit_rows AS INTEGER);
