-- expire_remove: remove items that have expired in this transaction and that their queue does not keep,
-- with their attempts.
-- In:  rows [{ItemId}]
-- Out: the queue of each removed item
DELETE FROM BotWorkQueueItems
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows))
  AND State = 3 AND ErrorKind = 'expired' AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.OnExpiry = 'remove')
RETURNING QueueName;
