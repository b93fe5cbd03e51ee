-- starts_back: forget the items that came back unstarted; they have used no place.
DELETE FROM BotQueueStarts
WHERE StartedAt IS NULL AND EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.Id = BotQueueStarts.ItemId AND i.Fence = BotQueueStarts.Fence AND i.State <> 5);
