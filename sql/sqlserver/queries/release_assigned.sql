-- release_assigned: release items that are assigned to the worker but not claimed.
-- In:  worker, instance
UPDATE t SET
    Version = Version + 1,
    State = 0,
    WorkerId = NULL,
    AssignedAt = NULL
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 5 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)));
