UPDATE t SET
    Version = t.Version + 1,
    State = 0,
    Scheduled = CASE WHEN t.AvailableAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN 1 ELSE t.Scheduled END,
    WorkerId = NULL,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL,
    FinishedAt = NULL
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j ON j.ItemId = t.Id
WHERE t.State = 5
  AND (t.AvailableAt > COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    OR t.DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots')));
