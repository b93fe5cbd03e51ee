-- expire_remove: remove items that have expired in this transaction and that their queue does not keep,
-- with their attempts.
-- In:  rows [{ItemId}]
-- Out: the queue of each removed item
DELETE FROM BotWorkQueueItems
OUTPUT deleted.QueueName
WHERE Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND State = 3 AND ErrorKind = N'expired' AND DeletedAt IS NULL
  AND EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND q.OnExpiry = N'remove');
