-- happening_items: items that ended without success since a time and were not seen by an evaluation yet, the first
-- first. Items that are tried again as a copy are left out.
-- In:  since, limit_rows, except_queue, name_len and text_len (characters)
-- Out: id, time, queue, pipeline, step, kind, text, worker, planned time (NULL: none), id of the item (NULL: none).
SELECT TOP (@limit_rows) i.Id, i.FinishedAt, i.QueueName, LEFT(i.IntegrationConfig, @name_len), i.Step, i.ErrorKind, LEFT(i.Error, @text_len), w.Name, NULL, i.Id
FROM BotWorkQueueItems i
LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
WHERE i.State = 3 AND i.DeletedAt IS NULL AND i.FinishedAt >= CAST(@since AS DATETIME2(3)) AND i.QueueName <> CAST(@except_queue AS NVARCHAR(450))
  AND NOT EXISTS (SELECT 1 FROM BotNotificationSeen s WHERE s.Source = N'item' AND s.RefId = i.Id AND s.At = i.FinishedAt)
  AND NOT EXISTS (SELECT 1 FROM BotWorkQueueItems c
      WHERE c.RootId IS NOT NULL AND c.RootId = COALESCE(i.RootId, i.Id) AND c.Id > i.Id)
ORDER BY i.FinishedAt, i.Id;
