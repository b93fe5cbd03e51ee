-- assign: give waiting items to workers. The plan may be older than a failure, a pause or
-- the end of a worker: what may not start now, and what is for a worker that takes
-- nothing any more, stays as it is.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE t SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = {{now}},
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', HolderId BIGINT '$.HolderId', FromId BIGINT '$.FromId', RunOrder BIGINT '$.RunOrder',
    EstimateMs BIGINT '$.EstimateMs', Channel NVARCHAR(200) '$.Channel') j ON j.ItemId = t.Id
WHERE t.State IN (0, 4)
  AND t.AvailableAt <= {{now}}
  AND t.DeletedAt IS NULL
  AND (t.DeadlineAt IS NULL OR t.DeadlineAt >= {{now}})
  AND (t.ExpiresAt IS NULL OR t.ExpiresAt >= {{now}})
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots'))
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = j.HolderId AND w.State = N'active' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= {{now}}));
