DELETE t
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', FirstNumber INT '$.FirstNumber') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
JOIN BotWorkItemSteps t ON t.ItemId = i.Id
WHERE i.Fence = j.ItemFence AND i.State IN (2, 3) AND t.Number >= j.FirstNumber;
