-- still_held: the claims that a worker still holds. It changes and locks nothing: a quick check, so
-- that a run stops soon after a user has cancelled it.
-- In:  worker, instance, rows [{ItemId, ItemFence}]
-- Out: ids and fences of those claims.
SELECT i."Id", i."Fence"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId"
WHERE i."State" = 1 AND i."WorkerId" = @worker AND i."Fence" = j."ItemFence"
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance);
