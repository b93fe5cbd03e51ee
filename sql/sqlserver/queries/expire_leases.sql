-- expire_leases: the instance is known to be dead, and another takes the
-- worker's name: what it ran is free for rescue at once.
-- In:  name, replaces
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = NULL
WHERE State = 1 AND WorkerId = (SELECT w.Id FROM BotWorkers w WHERE w.Name = CAST(@name AS NVARCHAR(450)) AND w.InstanceId = CAST(@replaces AS NVARCHAR(450)));
