-- expire_leases: end the leases of an instance that is known to be dead, because another one takes
-- the worker's name. Its running items can be rescued at once.
-- In:  name, replaces
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = NULL
WHERE State = 1 AND WorkerId = (SELECT w.Id FROM BotWorkers w WHERE w.Name = @name AND w.InstanceId = @replaces);
