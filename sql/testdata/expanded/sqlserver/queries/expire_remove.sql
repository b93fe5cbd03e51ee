DELETE FROM BotWorkQueueItems
OUTPUT deleted.QueueName
WHERE EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j WHERE j.ItemId = BotWorkQueueItems.Id)
  AND State = 3 AND ErrorKind = N'expired' AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.OnExpiry = N'remove');
