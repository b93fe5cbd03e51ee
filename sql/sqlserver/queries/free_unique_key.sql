-- free_unique_key: free the natural key of an item, because another item takes it over in this
-- transaction.
-- In:  id, fence
UPDATE BotWorkQueueItems SET
    UniqueKey = NULL
WHERE Id = @id AND Fence = @fence AND State = 3;
