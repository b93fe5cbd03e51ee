-- overdue: waiting items that have been due for too long, according to their row and attempts. Low
-- items have more time; items for robots do not count. Items in a queue with limits may wait for
-- these, and items of the given pipelines for their file to be fixed.
-- In:  before (due since then), low_before, pipelines [name], limit_rows
-- Out: id, priority, since when it is due.
SELECT i.Id, i.Priority, i.AvailableAt
FROM BotWorkQueueItems i
WHERE i.State IN (0, 4) AND i.DeletedAt IS NULL
  AND (i.Priority >= 500 AND i.AvailableAt < @before AND i.CreatedAt < @before
       OR i.Priority < 500 AND i.AvailableAt < @low_before AND i.CreatedAt < @low_before)
  AND NOT EXISTS (SELECT 1 FROM BotWorkItemAttempts a
      WHERE a.ItemId = i.Id AND a.FinishedAt >= CASE WHEN i.Priority >= 500 THEN @before ELSE @low_before END)
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND (q.Paused = 1 OR q.Consumer = 'robots'
      OR q.ConcurrencyLimit IS NOT NULL OR q.KeyConcurrencyLimit IS NOT NULL OR q.RateLimit IS NOT NULL OR q.KeyRateLimit IS NOT NULL))
  AND (@pipelines = '[]' OR substr(i.IntegrationConfig, 1, 200) NOT IN (SELECT value FROM jsonb_each(@pipelines)))
ORDER BY i.Id
LIMIT @limit_rows;
