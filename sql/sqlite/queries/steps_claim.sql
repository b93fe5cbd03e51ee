-- steps_claim: whether an item still has a claim, and whether its texts are encrypted. It changes and locks
-- nothing.
-- In:  item, fence
-- Out: 1 for an encrypted item, else 0; no row if the claim is no longer held.
SELECT i.Encrypted FROM BotWorkQueueItems i
WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1;
