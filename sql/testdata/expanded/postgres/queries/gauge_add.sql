UPDATE "BotStatisticsGauges" SET
    "Samples" = "Samples" + j."Taken",
    "Waiting" = "Waiting" + j."Waits",
    "MostWaiting" = GREATEST("MostWaiting", j."Waits"),
    "OldestMs" = GREATEST("OldestMs", j."Oldest"),
    "Running" = "Running" + j."Runs",
    "MostRunning" = GREATEST("MostRunning", j."Runs")
FROM json_to_recordset(CAST(@rows AS json)) AS j("Res" text, "Starts" timestamptz, "Queue" text, "BandName" text, "Taken" bigint, "Waits" bigint, "Oldest" bigint, "Runs" bigint)
WHERE "Resolution" = j."Res" AND "StartsAt" = j."Starts" AND "QueueName" = j."Queue" AND "Band" = j."BandName";
