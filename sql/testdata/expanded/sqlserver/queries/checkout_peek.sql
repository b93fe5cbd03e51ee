SELECT
    i.Id, i.QueueName, i.State, i.Priority, i.IntegrationConfig, i.Payload, i.Output, i.Progress,
    i.EstimatedDurationMs, i.WorkerId, i.Fence, i.LeaseExpiresAt, i.RetryCount, i.ReleaseCount,
    i.ResilienceConfig, i.AvailableAt, i.DeadlineAt, i.NaturalKey, i.Tags, i.Metadata, i.Labels,
    i.Selectors, i.RootId, i.TaskName, i.Error, i.ErrorKind, i.CreatedAt, i.CreatedBy, i.AssignedAt,
    i.StartedAt, i.FinishedAt, i.RetainUntil, i.DeletedAt, i.DeletedReason, i.Step, i.LogTail,
    i.FirstStartedAt, i.ProgressPercent, i.Analytics, i.Encrypted, i.ExpiresAt, i.LimitKey, i.Robot,
    i.RetainMs, i.TaskScope, i.TaskPlannedAt, i.RunOrder, i.AssignedEstimateMs, i.Channel,
    i.PipelineHash, i.IdempotencyKey, i.Version, i.FinishBy, i.BatchKey, i.BatchMax, i.BatchWaitMs,
    i.BatchAtMostMs, i.BatchLeaderId, i.StepTimes
FROM BotWorkQueueItems i
WHERE i.Id IN (
    SELECT TOP (@limit_rows) h.Id
    FROM (
        SELECT a.Id, a.Priority, a.DeadlineAt
        FROM (
            SELECT TOP (@limit_rows) c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c
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
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.Id) a
        UNION ALL
        SELECT b.Id, b.Priority, b.DeadlineAt
        FROM (
            SELECT TOP (@limit_rows) c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c
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
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = CAST(@robot AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2 AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.DeadlineAt, c.Id) b
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id);
