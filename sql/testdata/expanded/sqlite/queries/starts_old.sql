DELETE FROM BotQueueStarts WHERE Id IN (
    SELECT s.Id
    FROM BotQueueStarts s LEFT JOIN (SELECT json_extract(value, '$.QueueName') AS QueueName, json_extract(value, '$.KeepMs') AS KeepMs FROM jsonb_each(@rows)) j ON j.QueueName = s.QueueName
    WHERE s.StartedAt IS NOT NULL AND (j.QueueName IS NULL OR s.StartedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -j.KeepMs / 1000.0)))
    LIMIT CAST(@limit_rows AS INTEGER));
