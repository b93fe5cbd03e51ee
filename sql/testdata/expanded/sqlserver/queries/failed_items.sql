SELECT TOP (@limit_rows) i.Id, i.Id, i.QueueName, LEFT(i.IntegrationConfig, @name_len), i.Step, i.ErrorKind,
    LEFT(i.Error, @text_len), NULL, NULL, 0, i.FinishedAt
FROM BotWorkQueueItems i
WHERE i.State = 3 AND i.DeletedAt IS NULL AND i.QueueName = CAST(@queue AS NVARCHAR(450))
  AND i.FinishedAt >= CAST(@since AS DATETIME2(3)) AND i.FinishedAt <= CAST(@until AS DATETIME2(3))
  AND (i.FinishedAt < CAST(@until AS DATETIME2(3)) OR i.Id < @before_id)
ORDER BY i.FinishedAt DESC, i.Id DESC;
