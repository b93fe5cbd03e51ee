-- copied_from: what a copy of an item takes over that its INSERT cannot.
-- In:  id, fence
-- Out: unique key, whether the item is encrypted, its sealed texts.
SELECT i.UniqueKey, i.Encrypted, i.Payload, i.Metadata
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence;
