-- fences_behind: the number of a worker's claims that the database has no record of: the fences of
-- the items are smaller.
-- In:  rows [{ItemId, ItemFence}]
SELECT COUNT(*)
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
WHERE i.Fence < j.ItemFence;
