INSERT INTO BotWorkItemSteps (ItemId, Number, Step, Data, Fence, RecordedAt)
SELECT i.Id, j.Ordinal + COALESCE((SELECT MAX(m.Number) FROM BotWorkItemSteps m WHERE m.ItemId = i.Id), 0), j.Step, j.Data, i.Fence, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotWorkQueueItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
CROSS JOIN OPENJSON(@rows) WITH (Ordinal INT '$.Ordinal', Step NVARCHAR(200) '$.Step', Data NVARCHAR(MAX) '$.Data') j
WHERE i.Id = @item AND i.Fence = @fence AND i.State = 1
  AND NOT EXISTS (SELECT 1 FROM BotWorkItemSteps s WHERE s.ItemId = i.Id AND s.Step = CAST(j.Step AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2);
