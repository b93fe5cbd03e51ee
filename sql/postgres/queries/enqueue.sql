-- enqueue: insert items.
-- In:  rows [{Queue, NewState, Prio, Config, Body, EstimateMs, Policy, DueAt, DelayMs,
--      Deadline, Author}], now (NULL: the database clock)
-- Out: the new ids in no order.
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "State", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig", "AvailableAt",
     "DeadlineAt", "CreatedBy", "CreatedAt")
SELECT j."Queue", j."NewState", j."Prio", j."Config", j."Body", j."EstimateMs", j."Policy",
    COALESCE(j."DueAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + j."DelayMs" * INTERVAL '1 millisecond'),
    j."Deadline", j."Author", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("Queue" text, "NewState" int, "Prio" int, "Config" text, "Body" text, "EstimateMs" bigint, "Policy" text, "DueAt" timestamptz,
    "DelayMs" bigint, "Deadline" timestamptz, "Author" text)
RETURNING "Id";
