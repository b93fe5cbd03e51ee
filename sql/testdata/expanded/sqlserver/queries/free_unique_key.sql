UPDATE BotWorkQueueItems SET
    UniqueKey = NULL
WHERE Id = @id AND Fence = @fence AND State = 3;
