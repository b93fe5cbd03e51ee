DELETE t
FROM BotWorkItemSteps t
JOIN BotWorkQueueItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) ON i.Id = t.ItemId
WHERE t.ItemId = @item AND i.Id = @item AND i.Fence = @fence AND i.State = 1;
