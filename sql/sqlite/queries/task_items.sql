-- task_items: record the task of new items, in the transaction that inserts them.
-- In:  rows [{ItemId, Task, Scope, Instant}]
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    TaskName = j.Task,
    TaskScope = j.Scope,
    TaskPlannedAt = j.Instant,
    TaskPriority = Priority
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.Task') AS Task, json_extract(value, '$.Scope') AS Scope, json_extract(value, '$.Instant') AS Instant
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State IN (0, 4);
