INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     Scheduled, DeadlineAt, FinishBy, CreatedBy, CreatedAt, TaskName, NaturalKey, LimitKey, Tags, Metadata, Labels, Selectors, Expedite, RetainMs, ExpiresAt, Encrypted,
     LockKey, UniqueKey, ContentKey, TimedKey, TimedUntil, BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs, PoliciesApplied)
OUTPUT inserted.Id, inserted.LockKey
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, DATEADD(millisecond, (j.DelayMs % 1000), DATEADD(second, (j.DelayMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))),
    CASE WHEN j.DueAt IS NULL AND j.DelayMs > 0 OR j.DueAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN 1 ELSE 0 END,
    CASE WHEN j.DeadlineMs IS NULL OR j.Deadline <= DATEADD(millisecond, (j.DeadlineMs % 1000), DATEADD(second, (j.DeadlineMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) THEN j.Deadline ELSE DATEADD(millisecond, (j.DeadlineMs % 1000), DATEADD(second, (j.DeadlineMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) END,
    COALESCE(j.FinishAt, DATEADD(millisecond, (j.FinishMs % 1000), DATEADD(second, (j.FinishMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))),
    j.Author, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    j.Task, j.KeyText, j.LimitText, j.TagList, j.Meta, j.LabelText, j.SelectorText, j.Expedited, j.KeepMs,
    DATEADD(millisecond, (j.LifeMs % 1000), DATEADD(second, (j.LifeMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))),
    j.Sealed, j.Ticket, j.UniqueHash, j.ContentHash, j.TimedHash,
    DATEADD(millisecond, (j.TimedMs % 1000), DATEADD(second, (j.TimedMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))), j.BatchKey, j.BatchMax, j.BatchWaitMs, j.BatchAtMostMs, 1
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
  AND (j.Deadline IS NULL OR j.Deadline >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) OR j.Task IS NOT NULL);
