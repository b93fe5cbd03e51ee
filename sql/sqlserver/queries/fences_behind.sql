-- fences_behind: how many of a worker's claims the database knows nothing of: the fences of
-- the items are smaller.
-- In:  rows [{ItemId, ItemFence}]
SELECT COUNT(*)
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
WHERE i.Fence < j.ItemFence;
