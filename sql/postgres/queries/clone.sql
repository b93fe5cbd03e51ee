-- clone: a new item like one that is there, made on request and due at once.
-- In:  id, unique_key (NULL: none), author, now (NULL: the database clock)
-- Out: the new id; none when there is no such item.
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
    "DeadlineAt", "NaturalKey", "Tags", "Metadata", "Labels", "Selectors", "TaskName", "RetainMs",
    "LimitKey", "Encrypted",
     "State", "UniqueKey", "AvailableAt", "CreatedAt", "CreatedBy")
SELECT i."QueueName", i."Priority", i."IntegrationConfig", i."Payload", i."EstimatedDurationMs",
    i."ResilienceConfig", i."DeadlineAt", i."NaturalKey", i."Tags", i."Metadata", i."Labels", i."Selectors",
    i."TaskName", i."RetainMs", i."LimitKey", i."Encrypted",
    4, CAST(@unique_key AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(@author AS varchar)
FROM "BotWorkQueueItems" i
WHERE i."Id" = @id
RETURNING "Id";
