UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = CASE WHEN State IN (0, 4, 5) THEN 3 ELSE State END,
    FinishedAt = COALESCE(FinishedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    LeaseExpiresAt = NULL,
    UniqueKey = CASE WHEN EXISTS (SELECT 1 FROM BotQueues q
        WHERE q.Name = BotWorkQueueItems.QueueName AND q.DeletedKeysCount = 1) THEN UniqueKey END,
    DeletedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    DeletedReason = @reason
WHERE Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState') j
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence AND j.OldState = BotWorkQueueItems.State)
  AND State <> 1 AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.Deletion = N'logical')
  AND (@natural_key IS NULL OR NaturalKey = CAST(@natural_key AS NVARCHAR(450)))
  AND (@author IS NULL OR CreatedBy = CAST(@author AS NVARCHAR(450)));
