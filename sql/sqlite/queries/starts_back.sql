-- starts_back: remove the records of items that were released without a start: they do not count.
-- An item that was claimed and released has no start, but neither has an item that is repeated from
-- zero: its BegunFence is 0.
-- The next fence is one higher, or the first of an epoch: see migration 0020.
DELETE FROM BotQueueStarts
WHERE StartedAt IS NULL AND EXISTS (SELECT 1 FROM BotWorkQueueItems i
    WHERE i.Id = BotQueueStarts.ItemId AND (
        i.Fence = BotQueueStarts.Fence AND i.State <> 5
        OR (i.Fence = BotQueueStarts.Fence + 1 OR i.Fence > BotQueueStarts.Fence AND i.Fence % 1000000000 = 1) AND i.State <> 1 AND i.StartedAt IS NULL AND (i.BegunFence IS NULL OR i.BegunFence <> 0)));
