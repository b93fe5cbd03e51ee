UPDATE t SET
    LeaseExpiresAt = NULL
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE State = 1 AND WorkerId = (SELECT w.Id FROM BotWorkers w WHERE w.Name = CAST(@name AS NVARCHAR(450)) AND w.InstanceId = CAST(@replaces AS NVARCHAR(450)));
