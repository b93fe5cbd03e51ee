UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    BegunFence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    WorkerId = NULL,
    Robot = @robot,
    LockKey = @lock_key,
    AssignedAt = NULL,
    StartedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    FirstStartedAt = COALESCE(t.FirstStartedAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(t.IdempotencyKey, LOWER(CONVERT(NVARCHAR(36), NEWID()))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = NULL,
    LeaseExpiresAt = DATEADD(millisecond, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = CAST(@queue AS NVARCHAR(450))), 600000) % 1000), DATEADD(second, (COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = CAST(@queue AS NVARCHAR(450))), 600000) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
OUTPUT
    inserted.Id, inserted.QueueName, inserted.State, inserted.Priority, inserted.IntegrationConfig,
    inserted.Payload, inserted.Output, inserted.Progress, inserted.EstimatedDurationMs,
    inserted.WorkerId, inserted.Fence, inserted.LeaseExpiresAt, inserted.RetryCount,
    inserted.ReleaseCount, inserted.ResilienceConfig, inserted.AvailableAt, inserted.DeadlineAt,
    inserted.NaturalKey, inserted.Tags, inserted.Metadata, inserted.Labels, inserted.Selectors,
    inserted.RootId, inserted.TaskName, inserted.Error, inserted.ErrorKind, inserted.CreatedAt,
    inserted.CreatedBy, inserted.AssignedAt, inserted.StartedAt, inserted.FinishedAt,
    inserted.RetainUntil, inserted.DeletedAt, inserted.DeletedReason, inserted.Step, inserted.LogTail,
    inserted.FirstStartedAt, inserted.ProgressPercent, inserted.Analytics, inserted.Encrypted,
    inserted.ExpiresAt, inserted.LimitKey, inserted.Robot, inserted.RetainMs, inserted.TaskScope,
    inserted.TaskPlannedAt, inserted.RunOrder, inserted.AssignedEstimateMs, inserted.Channel,
    inserted.PipelineHash, inserted.IdempotencyKey, inserted.Version, inserted.FinishBy,
    inserted.BatchKey, inserted.BatchMax, inserted.BatchWaitMs, inserted.BatchAtMostMs,
    inserted.BatchLeaderId, inserted.StepTimes
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.State IN (0, 4) AND t.Id IN (
    SELECT TOP (@limit_rows) h.Id
    FROM (
        SELECT a.Id, a.Priority, a.DeadlineAt
        FROM (
            SELECT TOP (@limit_rows) c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
            WHERE c.State IN (0, 4) AND c.Fence >= 0 AND c.DeadlineAt IS NULL
              AND c.QueueName = CAST(@queue AS NVARCHAR(450)) AND c.DeletedAt IS NULL
              AND (c.PoliciesApplied = 1 OR c.Fence > 0)
              AND c.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
              AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
              AND (@natural_key IS NULL OR c.NaturalKey = CAST(@natural_key AS NVARCHAR(450)))
              AND (c.RetryCount = 0 AND CAST(@tries_new AS BIGINT) = 1 OR c.RetryCount = 1 AND CAST(@tries_once AS BIGINT) = 1 OR c.RetryCount > 1 AND CAST(@tries_again AS BIGINT) = 1)
              AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM OPENJSON(@ids) WITH (ItemId BIGINT '$.ItemId') j))
              AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM OPENJSON(@tags_any) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags) > 0))
              AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM OPENJSON(@full_keys) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE j.Piece = RTRIM(c.LimitKey) COLLATE Latin1_General_100_BIN2))
              AND NOT EXISTS (SELECT 1 FROM OPENJSON(@tags_all) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM OPENJSON(@metadata) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Metadata), 0) = 0)
              AND EXISTS (SELECT 1 FROM BotQueues q
                  WHERE q.Name = CAST(@queue AS NVARCHAR(450)) AND q.Consumer = N'robots' AND q.Paused = 0
                    AND (CAST(@limited AS BIGINT) = 1 OR q.ConcurrencyLimit IS NULL AND q.KeyConcurrencyLimit IS NULL AND q.RateLimit IS NULL AND q.KeyRateLimit IS NULL)
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.Id) a
        UNION ALL
        SELECT b.Id, b.Priority, b.DeadlineAt
        FROM (
            SELECT TOP (@limit_rows) c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
            WHERE c.State IN (0, 4) AND c.Fence >= 0 AND c.DeadlineAt IS NOT NULL AND c.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
              AND c.QueueName = CAST(@queue AS NVARCHAR(450)) AND c.DeletedAt IS NULL
              AND (c.PoliciesApplied = 1 OR c.Fence > 0)
              AND c.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
              AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))
              AND (@natural_key IS NULL OR c.NaturalKey = CAST(@natural_key AS NVARCHAR(450)))
              AND (c.RetryCount = 0 AND CAST(@tries_new AS BIGINT) = 1 OR c.RetryCount = 1 AND CAST(@tries_once AS BIGINT) = 1 OR c.RetryCount > 1 AND CAST(@tries_again AS BIGINT) = 1)
              AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM OPENJSON(@ids) WITH (ItemId BIGINT '$.ItemId') j))
              AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM OPENJSON(@tags_any) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags) > 0))
              AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM OPENJSON(@full_keys) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE j.Piece = RTRIM(c.LimitKey) COLLATE Latin1_General_100_BIN2))
              AND NOT EXISTS (SELECT 1 FROM OPENJSON(@tags_all) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Tags), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM OPENJSON(@metadata) WITH (Piece NVARCHAR(MAX) '$.Piece') j WHERE COALESCE(CHARINDEX(CAST(j.Piece AS NVARCHAR(MAX)) COLLATE Latin1_General_100_BIN2, c.Metadata), 0) = 0)
              AND EXISTS (SELECT 1 FROM BotQueues q
                  WHERE q.Name = CAST(@queue AS NVARCHAR(450)) AND q.Consumer = N'robots' AND q.Paused = 0
                    AND (CAST(@limited AS BIGINT) = 1 OR q.ConcurrencyLimit IS NULL AND q.KeyConcurrencyLimit IS NULL AND q.RateLimit IS NULL AND q.KeyRateLimit IS NULL)
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.DeadlineAt, c.Id) b
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id);
