-- failed_items: items of a queue that ended without success in a period, the latest first. Items
-- that ended at until are included if their id is smaller than before_id.
-- In:  queue, since, until, before_id (0: none), limit_rows, name_len and text_len (characters)
-- Out: as failed_attempts; the id is that of the item.
SELECT i.Id, i.Id, i.QueueName, SUBSTR(i.IntegrationConfig, 1, CAST(@name_len AS INTEGER)), i.Step, i.ErrorKind,
    SUBSTR(i.Error, 1, CAST(@text_len AS INTEGER)), NULL, NULL, 0, i.FinishedAt
FROM BotWorkQueueItems i
WHERE i.State = 3 AND i.DeletedAt IS NULL AND i.QueueName = @queue
  AND i.FinishedAt >= @since AND i.FinishedAt <= @until AND (i.FinishedAt < @until OR i.Id < CAST(@before_id AS INTEGER))
ORDER BY i.FinishedAt DESC, i.Id DESC
LIMIT CAST(@limit_rows AS INTEGER);
