-- fences_behind: the number of a worker's claims that the database has no record of: the fences of
-- the items are smaller.
-- In:  rows [{ItemId, ItemFence}]
SELECT COUNT(*)
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
WHERE i.Fence < j.ItemFence;
