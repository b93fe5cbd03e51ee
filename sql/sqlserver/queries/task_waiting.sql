-- task_waiting: waiting items of tasks whose priority is the one that the program set last: another
-- priority was set by a user.
-- In:  state (0 or 4), after_id, limit_rows
-- Out: id, task, scope value, queue, priority, when the window opened or the item was created,
--      deadline.
SELECT TOP (@limit_rows) i.Id, i.TaskName, COALESCE(i.TaskScope, N''), i.QueueName, i.Priority, COALESCE(i.TaskPlannedAt, i.CreatedAt), i.DeadlineAt
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State IN (0, 4) AND i.TaskName IS NOT NULL
  AND i.State = @state AND i.Id > @after_id AND i.DeletedAt IS NULL
  AND (i.TaskPriority IS NULL OR i.TaskPriority = i.Priority)
ORDER BY i.Id;
