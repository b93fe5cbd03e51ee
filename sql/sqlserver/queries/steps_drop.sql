-- steps_drop: remove the records of a running item.
-- In:  item, fence
-- The item is locked until the record is written, so that the lease cannot end in between. An item that another
-- session holds is passed over.
DELETE t
FROM BotWorkItemSteps t
JOIN BotWorkQueueItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) ON i.Id = t.ItemId
WHERE t.ItemId = @item AND i.Id = @item AND i.Fence = @fence AND i.State = 1;
