-- starts_old: remove a limited number of starts that are older than all periods, or whose queue no
-- longer has limits.
-- In:  rows [{QueueName, KeepMs}], limit_rows, now (NULL: the database clock)
DELETE FROM BotQueueStarts WHERE Id IN (
    SELECT s.Id
    FROM BotQueueStarts s LEFT JOIN (SELECT json_extract(value, '$.QueueName') AS QueueName, json_extract(value, '$.KeepMs') AS KeepMs FROM jsonb_each(@rows)) j ON j.QueueName = s.QueueName
    WHERE s.StartedAt IS NOT NULL AND (j.QueueName IS NULL OR s.StartedAt <= {{now_minus ms=j.KeepMs}})
    LIMIT CAST(@limit_rows AS INTEGER));
