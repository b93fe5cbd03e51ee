UPDATE t SET
    LeaseExpiresAt = DATEADD(millisecond, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000) % 1000), DATEADD(second, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = t.QueueName), 600000) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT inserted.Id, inserted.Fence, inserted.LeaseExpiresAt
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId IS NULL AND LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence AND j.ByRobot = t.Robot AND j.ByKey = t.LockKey
                AND EXISTS (SELECT 1 FROM BotQueues q
                    WHERE q.Name = t.QueueName
                      AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                          WHERE r.QueueName = q.Name AND r.Robot = CAST(j.ByRobot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1))));
