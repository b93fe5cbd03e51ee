-- enqueue: insert items.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, Author}], now (NULL: the database clock)
-- Out: the new ids in no order.
INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     DeadlineAt, CreatedBy, CreatedAt)
OUTPUT inserted.Id
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, DATEADD(millisecond, (j.DelayMs % 1000), DATEADD(second, (j.DelayMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))),
    j.Deadline, j.Author, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM OPENJSON(@rows) WITH (Queue NVARCHAR(MAX) '$.Queue', NewState INT '$.NewState', Prio INT '$.Prio', Config NVARCHAR(MAX) '$.Config',
    Body NVARCHAR(MAX) '$.Body', EstimateMs BIGINT '$.EstimateMs', Policy NVARCHAR(MAX) '$.Policy',
    DueAt DATETIME2(3) '$.DueAt', DelayMs BIGINT '$.DelayMs', Deadline DATETIME2(3) '$.Deadline',
    Author NVARCHAR(MAX) '$.Author') j;
