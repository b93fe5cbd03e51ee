-- forecasts_add: keep forecasts that were made at the same time. An item that is gone is left out.
-- In:  made, rows [{ItemId, Named, Start50, Start95, End50, End95}]; a time is NULL if it is after the end of the forecast.
INSERT INTO BotForecasts (MadeAt, ItemId, QueueName, Pipeline, Priority, DueAt, Failures, StartP50, StartP95, EndP50, EndP95)
SELECT @made, i.Id, i.QueueName, j.Named, i.Priority, i.AvailableAt, i.RetryCount, j.Start50, j.Start95, j.End50, j.End95
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.Named') AS Named, json_extract(value, '$.Start50') AS Start50, json_extract(value, '$.Start95') AS Start95, json_extract(value, '$.End50') AS End50, json_extract(value, '$.End95') AS End95
      FROM jsonb_each(@rows)) j
CROSS JOIN BotWorkQueueItems i ON i.Id = j.ItemId;
