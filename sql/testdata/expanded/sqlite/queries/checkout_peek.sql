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
                    AND (q.PublicAccess = 1 OR EXISTS (SELECT 1 FROM BotQueueRobots r
                        WHERE r.QueueName = q.Name AND r.Robot = @robot AND r.CanRead = 1)))
            ORDER BY c.Priority DESC, c.DeadlineAt, c.Id
            LIMIT CAST(@limit_rows AS INTEGER)) b
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id
    LIMIT CAST(@limit_rows AS INTEGER));
