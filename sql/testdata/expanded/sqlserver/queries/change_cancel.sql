UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    LogTail = CASE WHEN State = 1 THEN COALESCE(LogTail, N'') + @line ELSE LogTail END,
    State = 3,
    ErrorKind = N'cancelled',
    Error = @reason,
    FinishedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    LeaseExpiresAt = NULL,
    RetainUntil = NULL
OUTPUT inserted.Id
WHERE Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState') j
    WHERE j.ItemId = BotWorkQueueItems.Id AND j.ItemFence = BotWorkQueueItems.Fence AND j.OldState = BotWorkQueueItems.State)
  AND State IN (0, 1, 4, 5) AND DeletedAt IS NULL;
