-- failed_items: items of a queue that ended without success in a period, the latest first. Items
-- that ended at until are included if their id is smaller than before_id.
-- In:  queue, since, until, before_id (0: none), limit_rows, name_len and text_len (characters)
-- Out: as failed_attempts; the id is that of the item.
SELECT TOP (@limit_rows) i.Id, i.Id, i.QueueName, LEFT(i.IntegrationConfig, @name_len), i.Step, i.ErrorKind,
    LEFT(i.Error, @text_len), NULL, NULL, 0, i.FinishedAt
FROM BotWorkQueueItems i
WHERE i.State = 3 AND i.DeletedAt IS NULL AND i.QueueName = CAST(@queue AS NVARCHAR(450))
  AND i.FinishedAt >= CAST(@since AS DATETIME2(3)) AND i.FinishedAt <= CAST(@until AS DATETIME2(3))
  AND (i.FinishedAt < CAST(@until AS DATETIME2(3)) OR i.Id < @before_id)
ORDER BY i.FinishedAt DESC, i.Id DESC;
