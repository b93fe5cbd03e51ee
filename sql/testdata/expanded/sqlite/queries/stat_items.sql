SELECT i.Id, i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END
FROM BotWorkQueueItems i
WHERE i.Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
ORDER BY i.Id;
