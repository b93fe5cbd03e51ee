SELECT i.Id, i.FinishedAt, i.QueueName, SUBSTR(i.IntegrationConfig, 1, CAST(@name_len AS INTEGER)), i.Step, i.ErrorKind, SUBSTR(i.Error, 1, CAST(@text_len AS INTEGER)), w.Name, NULL, i.Id
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 3 AND i.DeletedAt IS NULL AND i.FinishedAt >= @since AND i.QueueName <> @except_queue
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = 'item' AND s.RefId = i.Id AND s.At = i.FinishedAt)
  AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems c
      WHERE c.RootId IS NOT NULL AND c.RootId = COALESCE(i.RootId, i.Id) AND c.Id > i.Id)
ORDER BY i.FinishedAt, i.Id
LIMIT CAST(@limit_rows AS INTEGER);
