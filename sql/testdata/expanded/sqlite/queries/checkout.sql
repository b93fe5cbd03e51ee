UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 1,
    Fence = MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    BegunFence = MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    WorkerId = NULL,
    Robot = @robot,
    LockKey = @lock_key,
    AssignedAt = NULL,
    StartedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    FirstStartedAt = COALESCE(FirstStartedAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(IdempotencyKey, lower(hex(randomblob(16)))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = NULL,
    LeaseExpiresAt = strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', COALESCE(@lease_ms, (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = @queue), 600000) / 1000.0))
WHERE State IN (0, 4) AND Id IN (
    SELECT h.Id
    FROM (
        SELECT a.Id, a.Priority, a.DeadlineAt
        FROM (
            SELECT c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c
            WHERE c.State IN (0, 4) AND c.Fence >= 0 AND c.DeadlineAt IS NULL
              AND c.QueueName = @queue AND c.DeletedAt IS NULL
              AND (c.PoliciesApplied = 1 OR c.Fence > 0)
              AND c.AvailableAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
              AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
              AND (@natural_key IS NULL OR c.NaturalKey = @natural_key)
              AND (c.RetryCount = 0 AND @tries_new = 1 OR c.RetryCount = 1 AND @tries_once = 1 OR c.RetryCount > 1 AND @tries_again = 1)
              AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM (SELECT json_extract(value, '$.ItemId') AS ItemId FROM jsonb_each(@ids)) j))
              AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_any)) j WHERE instr(c.Tags, j.Piece) > 0))
              AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@full_keys)) j WHERE j.Piece = c.LimitKey))
              AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_all)) j WHERE COALESCE(instr(c.Tags, j.Piece), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@metadata)) j WHERE COALESCE(instr(c.Metadata, j.Piece), 0) = 0)
              AND EXISTS (SELECT 1 FROM BotQueues q
                  WHERE q.Name = @queue AND q.Consumer = 'robots' AND q.Paused = 0
                    AND (@limited = 1 OR q.ConcurrencyLimit IS NULL AND q.KeyConcurrencyLimit IS NULL AND q.RateLimit IS NULL AND q.KeyRateLimit IS NULL)
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.Id
            LIMIT CAST(@limit_rows AS INTEGER)) a
        UNION ALL
        SELECT b.Id, b.Priority, b.DeadlineAt
        FROM (
            SELECT c.Id, c.Priority, c.DeadlineAt
            FROM BotWorkQueueItems c
            WHERE c.State IN (0, 4) AND c.Fence >= 0 AND c.DeadlineAt IS NOT NULL AND c.DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
              AND c.QueueName = @queue AND c.DeletedAt IS NULL
              AND (c.PoliciesApplied = 1 OR c.Fence > 0)
              AND c.AvailableAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
              AND (c.ExpiresAt IS NULL OR c.ExpiresAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
              AND (@natural_key IS NULL OR c.NaturalKey = @natural_key)
              AND (c.RetryCount = 0 AND @tries_new = 1 OR c.RetryCount = 1 AND @tries_once = 1 OR c.RetryCount > 1 AND @tries_again = 1)
              AND (@ids IS NULL OR c.Id IN (SELECT j.ItemId FROM (SELECT json_extract(value, '$.ItemId') AS ItemId FROM jsonb_each(@ids)) j))
              AND (@tags_any IS NULL OR EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_any)) j WHERE instr(c.Tags, j.Piece) > 0))
              AND (@full_keys IS NULL OR NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@full_keys)) j WHERE j.Piece = c.LimitKey))
              AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@tags_all)) j WHERE COALESCE(instr(c.Tags, j.Piece), 0) = 0)
              AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Piece') AS Piece FROM jsonb_each(@metadata)) j WHERE COALESCE(instr(c.Metadata, j.Piece), 0) = 0)
              AND EXISTS (SELECT 1 FROM BotQueues q
                  WHERE q.Name = @queue AND q.Consumer = 'robots' AND q.Paused = 0
                    AND (@limited = 1 OR q.ConcurrencyLimit IS NULL AND q.KeyConcurrencyLimit IS NULL AND q.RateLimit IS NULL AND q.KeyRateLimit IS NULL)
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.DeadlineAt, c.Id
            LIMIT CAST(@limit_rows AS INTEGER)) b
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id
    LIMIT CAST(@limit_rows AS INTEGER))
RETURNING
    Id, QueueName, State, Priority, IntegrationConfig, Payload, Output, Progress, EstimatedDurationMs,
    WorkerId, Fence, LeaseExpiresAt, RetryCount, ReleaseCount, ResilienceConfig, AvailableAt, DeadlineAt,
    NaturalKey, Tags, Metadata, Labels, Selectors, RootId, TaskName, Error, ErrorKind, CreatedAt,
    CreatedBy, AssignedAt, StartedAt, FinishedAt, RetainUntil, DeletedAt, DeletedReason, Step, LogTail,
    FirstStartedAt, ProgressPercent, Analytics, Encrypted, ExpiresAt, LimitKey, Robot, RetainMs,
    TaskScope, TaskPlannedAt, RunOrder, AssignedEstimateMs, Channel, PipelineHash, IdempotencyKey,
    Version, FinishBy, BatchKey, BatchMax, BatchWaitMs, BatchAtMostMs, BatchLeaderId, StepTimes;
