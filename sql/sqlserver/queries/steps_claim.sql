-- steps_claim: whether an item still has a claim, and whether its texts are encrypted. It changes and locks
-- nothing.
-- In:  item, fence
-- Out: 1 for an encrypted item, else 0; no row if the claim is no longer held.
--      Unless the database has read-committed snapshots, a row that another session holds cannot be read:
--      error 1222, at once.
SELECT CAST(i.Encrypted AS INT) FROM BotWorkQueueItems i WITH (NOWAIT)
WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1;
