-- copied_from: columns of an item that its copy takes over, but that the INSERT cannot copy.
-- In:  id, fence
-- Out: unique key, whether the item is encrypted, its sealed texts.
SELECT i.UniqueKey, i.Encrypted, i.Payload, i.Metadata
FROM BotWorkQueueItems i
WHERE i.Id = @id AND i.Fence = @fence;
