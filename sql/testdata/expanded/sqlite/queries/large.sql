SELECT
    octet_length(i.Payload), octet_length(i.IntegrationConfig),
    CASE WHEN octet_length(i.IntegrationConfig) <= (COALESCE(b.MaxPayload, 1048576) * 2 + 1048576) THEN i.IntegrationConfig END,
    CASE WHEN octet_length(i.Payload) <= (COALESCE(b.MaxPayload, 1048576) * 2 + 1048576) THEN i.Payload END,
    CASE WHEN octet_length(i.Output) <= (COALESCE(b.MaxOutput, 1048576) * 2 + 1048576) THEN i.Output END
FROM BotWorkQueueItems i
JOIN BotQueues b ON b.Name = i.QueueName
WHERE i.Id = @id AND i.Fence = @fence AND i.State = 1;
