DELETE FROM BotWorkQueueItems
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND State = 3 AND ErrorKind = 'expired' AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.OnExpiry = 'remove')
RETURNING QueueName;
