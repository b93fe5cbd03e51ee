-- starts_back: forget the items that came back unstarted; they have used no place.
-- What was claimed and given back has no start, but neither has an item that runs from zero
-- again: its BegunFence is 0.
-- The next fence is one more, or the first of an epoch: see migration 0020.
DELETE FROM BotQueueStarts
WHERE StartedAt IS NULL AND EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.Id = BotQueueStarts.ItemId AND (
        i.Fence = BotQueueStarts.Fence AND i.State <> 5
        OR (i.Fence = BotQueueStarts.Fence + 1 OR i.Fence > BotQueueStarts.Fence AND i.Fence % 1000000000 = 1) AND i.State <> 1 AND i.StartedAt IS NULL AND (i.BegunFence IS NULL OR i.BegunFence <> 0)));
