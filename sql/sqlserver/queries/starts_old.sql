-- starts_old: remove a limited number of starts that are older than all periods, or whose queue no
-- longer has limits.
-- In:  rows [{QueueName, KeepMs}], limit_rows, now (NULL: the database clock)
DELETE FROM BotQueueStarts WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id
    FROM BotQueueStarts s LEFT JOIN OPENJSON(@rows) WITH (QueueName NVARCHAR(200) '$.QueueName', KeepMs BIGINT '$.KeepMs') j ON j.QueueName = s.QueueName
    WHERE s.StartedAt IS NOT NULL AND (j.QueueName IS NULL OR s.StartedAt <= {{now_minus ms=j.KeepMs}}));
