-- steps_remove: remove the records of steps of items that have ended, from a number on: in this transaction, or
-- before it lets them run again.
-- In:  rows [{ItemId, ItemFence, FirstNumber}]
DELETE t
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', FirstNumber INT '$.FirstNumber') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId
JOIN BotWorkItemSteps t ON t.ItemId = i.Id
WHERE i.Fence = j.ItemFence AND i.State IN (2, 3) AND t.Number >= j.FirstNumber;
