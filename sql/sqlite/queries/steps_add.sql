-- steps_add: record steps of a running item that have no record.
-- In:  item, fence, rows [{Ordinal, Step, Data}], now (NULL: the database clock)
INSERT INTO BotWorkItemSteps (ItemId, Number, Step, Data, Fence, RecordedAt)
SELECT i.Id, j.Ordinal + COALESCE((SELECT MAX(m.Number) FROM BotWorkItemSteps m WHERE m.ItemId = i.Id), 0), j.Step, j.Data, i.Fence, {{now}}
FROM (SELECT json_extract(value, '$.Ordinal') AS Ordinal, json_extract(value, '$.Step') AS Step, json_extract(value, '$.Data') AS Data
      FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON i.Id = @item AND i.Fence = @fence AND i.State = 1
WHERE NOT EXISTS (SELECT 1 FROM BotWorkItemSteps s WHERE s.ItemId = i.Id AND s.Step = j.Step);
