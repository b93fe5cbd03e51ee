-- reassign: take items that have not started from their workers, and give them to
-- others. It does not count as a release. The conditions of assign.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE BotWorkQueueItems SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = {{now_once}},
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.HolderId') AS HolderId,
          json_extract(value, '$.FromId') AS FromId, json_extract(value, '$.RunOrder') AS RunOrder,
          json_extract(value, '$.EstimateMs') AS EstimateMs, json_extract(value, '$.Channel') AS Channel
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State = 5 AND WorkerId = j.FromId
  AND AvailableAt <= {{now_once}}
  AND DeletedAt IS NULL
  AND (DeadlineAt IS NULL OR DeadlineAt >= {{now_once}})
  AND (ExpiresAt IS NULL OR ExpiresAt >= {{now_once}})
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = j.HolderId AND w.State = 'active' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= {{now_once}}));
