SELECT CAST(i.Encrypted AS INT) FROM BotWorkQueueItems i WITH (NOWAIT)
WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1;
