SELECT COUNT(*)
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
WHERE i.Fence < j.ItemFence;
