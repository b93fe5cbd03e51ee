SELECT
    DATALENGTH(i.Payload) / 2, DATALENGTH(i.IntegrationConfig) / 2,
    CASE WHEN DATALENGTH(i.IntegrationConfig) <= 2 * (COALESCE(b.MaxPayload, 1048576) * 2 + 1048576) THEN i.IntegrationConfig END,
    CASE WHEN DATALENGTH(i.Payload) <= 2 * (COALESCE(b.MaxPayload, 1048576) * 2 + 1048576) THEN i.Payload END,
    CASE WHEN DATALENGTH(i.Output) <= 2 * (COALESCE(b.MaxOutput, 1048576) * 2 + 1048576) THEN i.Output END
FROM BotWorkQueueItems i
JOIN BotQueues b ON b.Name = i.QueueName
WHERE i.Id = @id AND i.Fence = @fence AND i.State = 1;
