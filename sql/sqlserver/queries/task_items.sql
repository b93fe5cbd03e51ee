-- task_items: record the task of new items, in the transaction that inserts them.
-- In:  rows [{ItemId, Task, Scope, Instant}]
UPDATE t SET
    Version = t.Version + 1,
    TaskName = j.Task,
    TaskScope = j.Scope,
    TaskPlannedAt = j.Instant,
    TaskPriority = t.Priority
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Task NVARCHAR(200) '$.Task', Scope NVARCHAR(200) '$.Scope', Instant DATETIME2(3) '$.Instant') j ON j.ItemId = t.Id
WHERE t.State IN (0, 4);
