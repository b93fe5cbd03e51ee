SELECT i.Id, i.DeadlineAt, i.QueueName, SUBSTR(i.IntegrationConfig, 1, CAST(@name_len AS INTEGER)), NULL, NULL, NULL, w.Name, NULL, i.Id
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State NOT BETWEEN 1 AND 3 AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')) AND i.DeadlineAt < @until
  AND i.DeletedAt IS NULL AND i.QueueName <> @except_queue
ORDER BY i.DeadlineAt, i.Id
LIMIT CAST(@limit_rows AS INTEGER);
