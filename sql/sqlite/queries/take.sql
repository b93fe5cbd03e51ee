-- take: assign waiting items to a worker and lease them to it at once, like assign and then claim.
-- The plan may be older than a failure, a snooze or a pause: items that may not start now do not
-- change.
-- In:  worker, instance, rows [{ItemId, RunOrder, EstimateMs, Channel}], lease_ms, now (NULL: the database clock)
-- Out: ids and fences of the claimed items. The statement taken reads the rest: returning all
--      columns here would take the writer half as long again.
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 1,
    Fence = MAX(BotWorkQueueItems.Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    WorkerId = @worker,
    AssignedAt = {{now_once}},
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel,
    StartedAt = {{now_once}},
    FirstStartedAt = COALESCE(BotWorkQueueItems.FirstStartedAt, {{now_once}}),
    -- include: new_attempt
    LeaseExpiresAt = (SELECT {{now_plus ms=@lease_ms}})
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State IN (0, 4)
  AND AvailableAt <= {{now_once}}
  AND DeletedAt IS NULL
  AND (DeadlineAt IS NULL OR DeadlineAt >= {{now_once}})
  AND (ExpiresAt IS NULL OR ExpiresAt >= {{now_once}})
  AND QueueName NOT IN (SELECT q.Name FROM BotQueues q WHERE q.Paused = 1 OR q.Consumer = 'robots')
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active')
RETURNING Id, Fence;
