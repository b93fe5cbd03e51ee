-- enqueue: insert all items, or none if the policy of a queue has changed since the rows were made.
-- It leaves out items whose deadline has passed, except those of tasks; the caller then takes all back.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, DeadlineMs, FinishAt, FinishMs, Author, Task, KeyText, LimitText, TagList, Meta, LabelText,
--      SelectorText, Expedited, KeepMs, LifeMs,
--      Sealed, Ticket, UniqueHash, ContentHash, TimedHash, TimedMs,
--      BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs}], queues [{Queue, Revision}], queue_count,
--      now (NULL: the database clock)
-- Out: the new ids with their tickets, in any order.
INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     Scheduled, DeadlineAt, FinishBy, CreatedBy, CreatedAt, TaskName, NaturalKey, LimitKey, Tags, Metadata, Labels, Selectors, Expedite, RetainMs, ExpiresAt, Encrypted,
     LockKey, UniqueKey, ContentKey, TimedKey, TimedUntil, BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs, PoliciesApplied)
OUTPUT inserted.Id, inserted.LockKey
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, {{now_plus ms=j.DelayMs}}),
    CASE WHEN j.DueAt IS NULL AND j.DelayMs > 0 OR j.DueAt > {{now}} THEN 1 ELSE 0 END,
    CASE WHEN j.DeadlineMs IS NULL OR j.Deadline <= {{now_plus ms=j.DeadlineMs}} THEN j.Deadline ELSE {{now_plus ms=j.DeadlineMs}} END,
    COALESCE(j.FinishAt, {{now_plus ms=j.FinishMs}}),
    j.Author, {{now}},
    j.Task, j.KeyText, j.LimitText, j.TagList, j.Meta, j.LabelText, j.SelectorText, j.Expedited, j.KeepMs,
    {{now_plus ms=j.LifeMs}},
    j.Sealed, j.Ticket, j.UniqueHash, j.ContentHash, j.TimedHash,
    {{now_plus ms=j.TimedMs}}, j.BatchKey, j.BatchMax, j.BatchWaitMs, j.BatchAtMostMs, 1
FROM OPENJSON(@rows) WITH (
    Queue NVARCHAR(200) '$.Queue', NewState INT '$.NewState', Prio INT '$.Prio', Config NVARCHAR(MAX) '$.Config',
    Body NVARCHAR(MAX) '$.Body', EstimateMs BIGINT '$.EstimateMs', Policy NVARCHAR(MAX) '$.Policy',
    DueAt DATETIME2(3) '$.DueAt', DelayMs BIGINT '$.DelayMs', Deadline DATETIME2(3) '$.Deadline',
    DeadlineMs BIGINT '$.DeadlineMs', FinishAt DATETIME2(3) '$.FinishAt', FinishMs BIGINT '$.FinishMs', Author NVARCHAR(200) '$.Author',
    Task NVARCHAR(200) '$.Task', KeyText NVARCHAR(400) '$.KeyText',
    LimitText NVARCHAR(200) '$.LimitText', TagList NVARCHAR(MAX) '$.TagList', Meta NVARCHAR(MAX) '$.Meta',
    LabelText NVARCHAR(MAX) '$.LabelText', SelectorText NVARCHAR(MAX) '$.SelectorText', Expedited INT '$.Expedited',
    KeepMs BIGINT '$.KeepMs', LifeMs BIGINT '$.LifeMs', Sealed INT '$.Sealed', Ticket NVARCHAR(200) '$.Ticket',
    UniqueHash NVARCHAR(64) '$.UniqueHash', ContentHash NVARCHAR(64) '$.ContentHash',
    TimedHash NVARCHAR(64) '$.TimedHash', TimedMs BIGINT '$.TimedMs',
    BatchKey NVARCHAR(200) '$.BatchKey', BatchMax INT '$.BatchMax', BatchWaitMs BIGINT '$.BatchWaitMs', BatchAtMostMs BIGINT '$.BatchAtMostMs') j
WHERE (SELECT COUNT(*) FROM BotQueues b
    JOIN OPENJSON(@queues) WITH (Queue NVARCHAR(200) '$.Queue', Revision BIGINT '$.Revision') p
      ON b.Name = p.Queue AND b.Revision = p.Revision) = @queue_count
  AND (j.Deadline IS NULL OR j.Deadline >= {{now}} OR j.Task IS NOT NULL);
