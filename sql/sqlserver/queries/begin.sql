-- begin: record that the runs of claimed items start now. Items that may no longer start do not
-- change: the lease was lost or has ended, the deadline or the lifetime has passed, the item is
-- deleted, or its queue is paused. Runs that have already started do not change either.
-- In:  worker, instance, rows [{ItemId, ItemFence}], now (NULL: the database clock)
-- Out: ids and fences of the started items; the others are refused.
-- FirstStartedAt is from this claim if it is not before StartedAt, which the claim has set.
UPDATE t SET
    BegunFence = Fence,
    StartedAt = CASE WHEN BegunFence = Fence THEN StartedAt ELSE {{now}} END,
    FirstStartedAt = CASE WHEN BegunFence = Fence OR FirstStartedAt < StartedAt THEN FirstStartedAt ELSE {{now}} END
OUTPUT inserted.Id, inserted.Fence
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = @worker
  AND t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence)
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
  AND (BegunFence = Fence
    OR LeaseExpiresAt >= {{now}} AND DeletedAt IS NULL
      AND (DeadlineAt IS NULL OR DeadlineAt >= {{now}})
      AND (ExpiresAt IS NULL OR ExpiresAt >= {{now}})
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND q.Paused = 1));
