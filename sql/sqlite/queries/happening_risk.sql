-- happening_risk: items that have not started and whose deadline is near, the nearest first.
-- In:  until, limit_rows, except_queue, name_len, now (NULL: the database clock)
-- Out: as happening_items; the time is the deadline.
SELECT i.Id, i.DeadlineAt, i.QueueName, SUBSTR(i.IntegrationConfig, 1, CAST(@name_len AS INTEGER)), NULL, NULL, NULL, w.Name, NULL, i.Id
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State NOT BETWEEN 1 AND 3 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now}} AND i.DeadlineAt < @until
  AND i.DeletedAt IS NULL AND i.QueueName <> @except_queue
ORDER BY i.DeadlineAt, i.Id
LIMIT CAST(@limit_rows AS INTEGER);
