UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 3,
    ErrorKind = N'expired',
    Error = CASE WHEN FinishBy < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN @finish_text WHEN DeadlineAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN @deadline_text ELSE @life_text END,
    FinishedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    LeaseExpiresAt = NULL
OUTPUT inserted.Id
WHERE EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j WHERE j.ItemId = BotWorkQueueItems.Id)
  AND State IN (0, 4, 5) AND DeletedAt IS NULL
  AND (DeadlineAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) OR ExpiresAt < COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))));
