-- assign_conditions: the rest of the conditions of assign and of reassign, beside the item's
-- state: it may start now, and the worker j.HolderId is active and alive.
-- In:  now (NULL: the database clock)
AND AvailableAt <= {{now_once}}
AND DeletedAt IS NULL
AND (DeadlineAt IS NULL OR DeadlineAt >= {{now_once}})
AND (ExpiresAt IS NULL OR ExpiresAt >= {{now_once}})
AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = BotWorkQueueItems.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
AND EXISTS (SELECT 1 FROM BotWorkers w
    WHERE w.Id = j.HolderId AND w.State = 'active' AND w.Gate IS NULL AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= {{now_once}}))
