-- free_unique_key: an item lets go of its natural key, which another takes over
-- in this transaction.
-- In:  id, fence
UPDATE BotWorkQueueItems SET
    UniqueKey = NULL
WHERE Id = @id AND Fence = @fence AND State = 3;
