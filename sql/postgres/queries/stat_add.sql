-- stat_add: insert what has happened in this transaction, or sums of earlier rows.
-- In:  rows [{QueueName, Kind, Tier, StartsAt (NULL: now), Bucket, Events, Level, DurationMs}], now (NULL: the database clock)
INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Tier", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
SELECT j."QueueName", j."Kind", j."Tier", COALESCE(j."StartsAt", {{now}}),
    j."Bucket", j."Events", j."Level", j."DurationMs"
FROM json_to_recordset(CAST(@rows AS json)) AS j("QueueName" text, "Kind" text, "Tier" int, "StartsAt" timestamptz, "Bucket" int,
    "Events" bigint, "Level" bigint, "DurationMs" bigint);
