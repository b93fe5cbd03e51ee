-- take: give waiting items to a worker and lease them to it at once, as assign and
-- then claim would. The plan may be older than a failure, a snooze or a pause: what may
-- not start now stays as it is. The statement take_order follows in the same transaction:
-- a joined UPDATE, which could write all, cannot have an OUTPUT on every server that
-- speaks T-SQL.
-- In:  worker, instance, rows [{ItemId}], lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in no order, without what is the same for all; the store sorts
--      them, and knows what take_order writes.
-- A text of more than 2 MB is not returned: it is asked for by large, unless it is larger than its queue allows.
UPDATE t SET
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    WorkerId = @worker,
    AssignedAt = {{now}},
    StartedAt = {{now}},
    FirstStartedAt = COALESCE(t.FirstStartedAt, {{now}}),
    -- include: new_attempt
    LeaseExpiresAt = {{now_plus ms=@lease_ms}}
OUTPUT
    inserted.Id, inserted.QueueName, inserted.Priority,
    CASE WHEN DATALENGTH(inserted.IntegrationConfig) <= 4194304 THEN inserted.IntegrationConfig ELSE N'' END,
    CASE WHEN DATALENGTH(inserted.Payload) <= 4194304 THEN inserted.Payload END,
    CASE WHEN DATALENGTH(inserted.Output) <= 4194304 THEN inserted.Output END,
    inserted.EstimatedDurationMs, inserted.Fence, inserted.LeaseExpiresAt, inserted.RetryCount, inserted.ReleaseCount,
    inserted.ResilienceConfig, inserted.AvailableAt, inserted.DeadlineAt, inserted.NaturalKey, inserted.Tags,
    inserted.Metadata, inserted.Labels, inserted.Selectors, inserted.RootId, inserted.TaskName, inserted.Error,
    inserted.ErrorKind, inserted.CreatedAt, inserted.CreatedBy, inserted.AssignedAt, inserted.StartedAt,
    inserted.FinishedAt, inserted.RetainUntil, inserted.DeletedAt, inserted.DeletedReason, inserted.FirstStartedAt,
    inserted.Analytics, inserted.Encrypted, inserted.ExpiresAt, inserted.LimitKey, inserted.Robot, inserted.RetainMs,
    inserted.TaskScope, inserted.TaskPlannedAt, inserted.RunOrder, inserted.AssignedEstimateMs, inserted.Channel,
    inserted.BegunFence, inserted.IdempotencyKey,
    CASE WHEN DATALENGTH(inserted.IntegrationConfig) > 4194304 OR DATALENGTH(inserted.Payload) > 4194304 OR DATALENGTH(inserted.Output) > 4194304 THEN 1 END
FROM BotWorkQueueItems t
WHERE t.State IN (0, 4)
  AND t.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
  -- include: may_start row=t.
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State = N'active');
