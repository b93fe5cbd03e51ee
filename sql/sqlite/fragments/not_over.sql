-- not_over: an item is neither deleted, overdue nor expired, and its queue is open to workers. row
-- is the table's alias with a dot.
-- In:  now (NULL: the database clock)
-- Parameters: row
AND {{row}}DeletedAt IS NULL
AND ({{row}}DeadlineAt IS NULL OR {{row}}DeadlineAt >= {{now_once}})
AND ({{row}}ExpiresAt IS NULL OR {{row}}ExpiresAt >= {{now_once}})
AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = {{row}}QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'))
