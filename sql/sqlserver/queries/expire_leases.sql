-- expire_leases: end the leases of an instance that is known to be dead, because another one takes
-- the worker's name. Its running items can be rescued at once.
-- In:  name, replaces
UPDATE t SET
    LeaseExpiresAt = NULL
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = (SELECT w.Id FROM BotWorkers w WHERE w.Name = CAST(@name AS NVARCHAR(450)) AND w.InstanceId = CAST(@replaces AS NVARCHAR(450)));
