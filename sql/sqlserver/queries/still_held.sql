-- still_held: the claims that a worker still holds. It changes and locks nothing: a quick check, so
-- that a run stops soon after a user has cancelled it.
-- In:  worker, instance, rows [{ItemId, ItemFence}]
-- Out: ids and fences of those claims. Unless the database has read-committed snapshots, a row that another
--      session holds cannot be read: error 1222, at once.
SELECT i.Id, i.Fence
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
JOIN BotWorkQueueItems i WITH (NOWAIT) ON i.Id = j.ItemId
WHERE i.State = 1 AND i.WorkerId = @worker AND i.Fence = j.ItemFence
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)));
