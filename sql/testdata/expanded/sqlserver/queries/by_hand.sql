SELECT TOP (@limit_rows) i.Id, i.Fence, i.QueueName, i.Priority, i.NaturalKey, i.UniqueKey,
    CASE WHEN EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.PayloadSchema IS NOT NULL) THEN i.Payload END
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
WHERE i.State IN (0, 4) AND i.PoliciesApplied = 0 AND i.Fence = 0 AND i.DeletedAt IS NULL
ORDER BY i.Id;
