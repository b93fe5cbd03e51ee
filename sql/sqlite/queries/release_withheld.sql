-- release_withheld: release assigned items that no claim can start. They would count as work of
-- their workers while a queue is paused.
-- In:  rows [{ItemId}], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 0,
    Scheduled = CASE WHEN AvailableAt > {{now_once}} THEN 1 ELSE Scheduled END,
    WorkerId = NULL,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL,
    FinishedAt = NULL
WHERE Id IN (SELECT json_extract(value, '$.ItemId') FROM jsonb_each(@rows)) AND State = 5
  AND (AvailableAt > {{now_once}}
    OR DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots')));
