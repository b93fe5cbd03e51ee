-- steps_remove: remove the records of steps of items that have ended, from a number on: in this transaction, or
-- before it lets them run again.
-- In:  rows [{ItemId, ItemFence, FirstNumber}]
DELETE FROM BotWorkItemSteps
WHERE (ItemId, Step) IN (
    SELECT s.ItemId, s.Step
    FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
                 json_extract(value, '$.FirstNumber') AS FirstNumber
          FROM jsonb_each(@rows)) j
    JOIN BotWorkQueueItems i ON i.Id = j.ItemId
    JOIN BotWorkItemSteps s ON s.ItemId = i.Id
    WHERE i.Fence = j.ItemFence AND i.State IN (2, 3) AND s.Number >= j.FirstNumber);
