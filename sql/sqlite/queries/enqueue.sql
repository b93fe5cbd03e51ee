-- enqueue: insert items.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, Author}], now (NULL: the database clock)
-- Out: the new ids in no order.
INSERT INTO BotWorkQueueItems
    (QueueName, State, Priority, IntegrationConfig, Payload, EstimatedDurationMs, ResilienceConfig, AvailableAt,
     DeadlineAt, CreatedBy, CreatedAt)
SELECT j.Queue, j.NewState, j.Prio, j.Config, j.Body, j.EstimateMs, j.Policy,
    COALESCE(j.DueAt, strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', j.DelayMs / 1000.0))),
    j.Deadline, j.Author, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.Queue') AS Queue, json_extract(value, '$.NewState') AS NewState,
        json_extract(value, '$.Prio') AS Prio, json_extract(value, '$.Config') AS Config,
        json_extract(value, '$.Body') AS Body, json_extract(value, '$.EstimateMs') AS EstimateMs,
        json_extract(value, '$.Policy') AS Policy, json_extract(value, '$.DueAt') AS DueAt,
        json_extract(value, '$.DelayMs') AS DelayMs, json_extract(value, '$.Deadline') AS Deadline,
        json_extract(value, '$.Author') AS Author
      FROM json_each(@rows)) j
RETURNING Id;
