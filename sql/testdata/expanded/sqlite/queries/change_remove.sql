DELETE FROM BotWorkQueueItems
WHERE Id IN (
    SELECT i.Id
    FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
         json_extract(value, '$.OldState') AS OldState
     FROM jsonb_each(@rows)) j
    CROSS JOIN BotWorkQueueItems i
    WHERE i.Id = j.ItemId AND i.Fence = j.ItemFence AND i.State = j.OldState
      AND i.State <> 1 AND i.DeletedAt IS NULL
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Deletion = 'logical')
      AND (@natural_key IS NULL OR i.NaturalKey = @natural_key)
      AND (@author IS NULL OR i.CreatedBy = @author));
