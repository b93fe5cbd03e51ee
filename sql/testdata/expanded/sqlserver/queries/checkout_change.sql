UPDATE t SET
    Version = Version + 1,
    Metadata = CASE WHEN CAST(@sets_metadata AS BIGINT) = 1 THEN @metadata ELSE Metadata END,
    Tags = CASE WHEN CAST(@sets_tags AS BIGINT) = 1 THEN @tags ELSE Tags END,
    Priority = COALESCE(CAST(@priority AS INT), Priority),
    NaturalKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @natural_key ELSE NaturalKey END,
    UniqueKey = CASE WHEN CAST(@sets_key AS BIGINT) = 1 THEN @unique_key ELSE UniqueKey END
OUTPUT inserted.Id
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id = @id AND State = 1 AND WorkerId IS NULL AND Fence = @fence
  AND Robot = CAST(@robot AS NVARCHAR(450)) AND LockKey = CAST(@lock_key AS NVARCHAR(450)) AND LeaseExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
  AND EXISTS (SELECT 1 FROM BotQueues q
      WHERE q.Name = t.QueueName
        AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
            WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)));
