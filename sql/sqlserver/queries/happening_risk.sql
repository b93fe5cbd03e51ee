-- happening_risk: items that have not started and whose deadline is near, the nearest first.
-- In:  until, limit_rows, except_queue, name_len, now (NULL: the database clock)
-- Out: as happening_items; the time is the deadline.
SELECT TOP (@limit_rows) i.Id, i.DeadlineAt, i.QueueName, LEFT(i.IntegrationConfig, @name_len), NULL, NULL, NULL, w.Name, NULL, i.Id
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State IN (0, 4, 5) AND i.DeadlineAt IS NOT NULL AND i.DeadlineAt >= {{now}} AND i.DeadlineAt < CAST(@until AS DATETIME2(3))
  AND i.DeletedAt IS NULL AND i.QueueName <> CAST(@except_queue AS NVARCHAR(450))
ORDER BY i.DeadlineAt, i.Id;
