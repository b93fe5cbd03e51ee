-- forecasts_add: keep forecasts that were made at the same time. An item that is gone is left out.
-- In:  made, rows [{ItemId, Named, Start50, Start95, End50, End95}]; a time is NULL if it is after the end of the forecast.
INSERT INTO "BotForecasts" ("MadeAt", "ItemId", "QueueName", "Pipeline", "Priority", "DueAt", "Failures", "StartP50", "StartP95", "EndP50", "EndP95")
SELECT CAST(@made AS timestamptz), i."Id", i."QueueName", j."Named", i."Priority", i."AvailableAt", i."RetryCount", j."Start50", j."Start95", j."End50", j."End95"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Named" text, "Start50" timestamptz, "Start95" timestamptz, "End50" timestamptz, "End95" timestamptz)
JOIN "BotWorkQueueItems" i ON i."Id" = j."ItemId";
