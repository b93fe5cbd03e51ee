-- steps_replace: replace records of steps of a running item.
-- In:  item, fence, rows [{Ordinal, Step, Data}], now (NULL: the database clock)
UPDATE BotWorkItemSteps SET
    Data = j.Data,
    Fence = @fence,
    RecordedAt = {{now}}
FROM (SELECT json_extract(value, '$.Ordinal') AS Ordinal, json_extract(value, '$.Step') AS Step, json_extract(value, '$.Data') AS Data
      FROM jsonb_each(@rows)) j
WHERE BotWorkItemSteps.ItemId = @item AND BotWorkItemSteps.Step = j.Step
  AND EXISTS (SELECT 1 FROM BotWorkQueueItems i WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1);
