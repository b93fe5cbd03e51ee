UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 1,
    Fence = MAX(BotWorkQueueItems.Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    WorkerId = @worker,
    AssignedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel,
    StartedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
    FirstStartedAt = COALESCE(BotWorkQueueItems.FirstStartedAt, (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))),
    Step = NULL,
    Progress = NULL,
    ProgressPercent = NULL,
    PipelineHash = NULL,
    IdempotencyKey = COALESCE(IdempotencyKey, lower(hex(randomblob(16)))),
    LogTail = NULL,
    StepTimes = NULL,
    BatchLeaderId = NULL,
    LeaseExpiresAt = (SELECT strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', @lease_ms / 1000.0)))
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State IN (0, 4)
  AND AvailableAt <= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')))
  AND DeletedAt IS NULL
  AND (DeadlineAt IS NULL OR DeadlineAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
  AND (ExpiresAt IS NULL OR ExpiresAt >= (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))))
  AND QueueName NOT IN (SELECT q.Name FROM BotQueues q WHERE q.Paused = 1 OR q.Consumer = 'robots')
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active')
RETURNING Id, Fence;
