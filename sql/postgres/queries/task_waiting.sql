-- task_waiting: waiting items of tasks whose priority is the one that the program set last: another
-- priority was set by a user.
-- In:  state (0 or 4), after_id, limit_rows
-- Out: id, task, scope value, queue, priority, when the window opened or the item was created,
--      deadline.
SELECT i."Id", i."TaskName", COALESCE(i."TaskScope", ''), i."QueueName", i."Priority", COALESCE(i."TaskPlannedAt", i."CreatedAt"), i."DeadlineAt"
FROM "BotWorkQueueItems" i
WHERE i."State" IN (0, 4) AND i."TaskName" IS NOT NULL
  AND i."State" = @state AND i."Id" > @after_id AND i."DeletedAt" IS NULL
  AND (i."TaskPriority" IS NULL OR i."TaskPriority" = i."Priority")
  -- include: not_held row=i.
ORDER BY i."Id"
LIMIT @limit_rows;
