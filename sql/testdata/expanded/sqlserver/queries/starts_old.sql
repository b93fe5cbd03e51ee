DELETE FROM BotQueueStarts WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id
    FROM BotQueueStarts s LEFT JOIN OPENJSON(@rows) WITH (QueueName NVARCHAR(200) '$.QueueName', KeepMs BIGINT '$.KeepMs') j ON j.QueueName = s.QueueName
    WHERE s.StartedAt IS NOT NULL AND (j.QueueName IS NULL OR s.StartedAt <= DATEADD(millisecond, -(j.KeepMs % 1000), DATEADD(second, -(j.KeepMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))));
