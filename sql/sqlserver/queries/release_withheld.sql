-- release_withheld: give back assigned items that no claim starts. They would count as
-- work of their workers for as long as a queue is paused.
-- In:  rows [{ItemId}], now (NULL: the database clock)
UPDATE t SET
    State = 0,
    Scheduled = CASE WHEN t.AvailableAt > {{now}} THEN 1 ELSE t.Scheduled END,
    WorkerId = NULL,
    AssignedAt = NULL,
    LeaseExpiresAt = NULL,
    FinishedAt = NULL
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j ON j.ItemId = t.Id
WHERE t.State = 5
  AND (t.AvailableAt > {{now}}
    OR t.DeletedAt IS NOT NULL
    OR EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = t.QueueName AND (q.Paused = 1 OR q.Consumer = N'robots')));
