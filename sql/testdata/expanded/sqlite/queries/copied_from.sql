SELECT i.UniqueKey, i.Encrypted, i.Payload, i.Metadata
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence;
