UPDATE BotWorkQueueItems SET
    LeaseExpiresAt = NULL
WHERE State = 1 AND WorkerId = (SELECT w.Id FROM BotWorkers w WHERE w.Name = CAST(@name AS NVARCHAR(450)) AND w.InstanceId = CAST(@replaces AS NVARCHAR(450)));
