INSERT INTO "BotQueueStats" ("QueueName", "Kind", "Tier", "StartsAt", "Bucket", "Events", "Level", "DurationMs")
SELECT j."QueueName", j."Kind", j."Tier", COALESCE(j."StartsAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    j."Bucket", j."Events", j."Level", j."DurationMs"
FROM json_to_recordset(CAST(@rows AS json)) AS j("QueueName" text, "Kind" text, "Tier" int, "StartsAt" timestamptz, "Bucket" int,
    "Events" bigint, "Level" bigint, "DurationMs" bigint);
