-- clone: a new item like one that is there, made on request and due at once. A
-- deadline that is over is not taken along.
-- In:  id, unique_key (NULL: none), life_ms (NULL: no bound), author, now (NULL: the database clock)
-- Out: the new id; none when there is no such item.
INSERT INTO "BotWorkQueueItems"
    ("QueueName", "Priority", "IntegrationConfig", "Payload", "EstimatedDurationMs", "ResilienceConfig",
    "DeadlineAt", "NaturalKey", "Tags", "Metadata", "Labels", "Selectors", "Expedite", "TaskName", "TaskScope", "RetainMs",
    "LimitKey", "Encrypted",
     "State", "UniqueKey", "AvailableAt", "CreatedAt", "CreatedBy", "ExpiresAt")
SELECT i."QueueName", i."Priority", i."IntegrationConfig", i."Payload", i."EstimatedDurationMs",
    i."ResilienceConfig", CASE WHEN i."DeadlineAt" >= {{now}} THEN i."DeadlineAt" END, i."NaturalKey", i."Tags", i."Metadata", i."Labels", i."Selectors", i."Expedite",
    i."TaskName", i."TaskScope", i."RetainMs", i."LimitKey", i."Encrypted",
    4, CAST(@unique_key AS varchar), {{now}}, {{now}}, CAST(@author AS varchar),
    {{now_plus ms=CAST(@life_ms AS bigint)}}
FROM "BotWorkQueueItems" i
WHERE i."Id" = @id
RETURNING "Id";
