UPDATE t SET
    Data = j.Data,
    Fence = @fence,
    RecordedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotWorkItemSteps t
JOIN BotWorkQueueItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK) ON i.Id = t.ItemId
JOIN OPENJSON(@rows) WITH (Ordinal INT '$.Ordinal', Step NVARCHAR(200) '$.Step', Data NVARCHAR(MAX) '$.Data') j ON t.Step = CAST(j.Step AS NVARCHAR(200)) COLLATE Latin1_General_100_BIN2
WHERE t.ItemId = @item AND i.Id = @item AND i.Fence = @fence AND i.State = 1;
