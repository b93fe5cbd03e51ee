UPDATE t SET
    Version = t.Version + 1,
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', HolderId BIGINT '$.HolderId', FromId BIGINT '$.FromId', RunOrder BIGINT '$.RunOrder',
    EstimateMs BIGINT '$.EstimateMs', Channel NVARCHAR(200) '$.Channel') j ON j.ItemId = t.Id
WHERE t.State = 5 AND t.WorkerId = j.FromId
  AND t.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND t.DeletedAt IS NULL
  AND (t.DeadlineAt IS NULL OR t.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND (t.ExpiresAt IS NULL OR t.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = j.HolderId AND w.State = N'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))));
