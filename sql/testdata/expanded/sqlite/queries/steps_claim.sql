SELECT i.Encrypted FROM BotWorkQueueItems i
WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1;
