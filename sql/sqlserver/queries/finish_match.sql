-- finish_match: which of the runs that are about to be finished still hold
-- their lease. It runs in the transaction of finish; a fence never comes back,
-- so the set can only shrink between the two, and equal counts mean equal sets.
-- In:  worker, rows [{ItemId, ItemFence}]
-- Out: ids and fences of those whose lease holds.
SELECT t.Id, t.Fence
FROM BotWorkQueueItems t WITH (UPDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.WorkerId = @worker AND t.Fence = j.ItemFence;
