-- expire_leases: a new instance has taken the worker's name: what the earlier
-- one ran is free for rescue at once.
-- In:  worker
UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = NULL
WHERE State = 1 AND WorkerId = @worker;
