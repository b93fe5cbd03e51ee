-- steps_drop: remove the records of a running item.
-- In:  item, fence
DELETE FROM BotWorkItemSteps
WHERE ItemId = @item
  AND EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1);
