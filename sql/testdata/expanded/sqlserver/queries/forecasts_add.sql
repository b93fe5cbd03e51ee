INSERT INTO BotForecasts (MadeAt, ItemId, QueueName, Pipeline, Priority, DueAt, Failures, StartP50, StartP95, EndP50, EndP95)
SELECT CAST(@made AS DATETIME2(3)), i.Id, i.QueueName, j.Named, i.Priority, i.AvailableAt, i.RetryCount, j.Start50, j.Start95, j.End50, j.End95
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Named NVARCHAR(200) '$.Named', Start50 DATETIME2(3) '$.Start50', Start95 DATETIME2(3) '$.Start95', End50 DATETIME2(3) '$.End50', End95 DATETIME2(3) '$.End95') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId;
