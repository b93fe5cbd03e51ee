-- gauge_add: add a sample to rows that exist.
-- In:  rows [{Res, Starts, What, Queue, BandName, Named, Taken, Waits, Oldest, Runs, Offers}]
UPDATE "BotStatisticsGauges" SET
    "Samples" = "Samples" + j."Taken",
    "Waiting" = "Waiting" + j."Waits",
    "MostWaiting" = GREATEST("MostWaiting", j."Waits"),
    "OldestMs" = GREATEST("OldestMs", j."Oldest"),
    "Running" = "Running" + j."Runs",
    "MostRunning" = GREATEST("MostRunning", j."Runs"),
    "Offered" = "Offered" + j."Offers",
    "MostOffered" = GREATEST("MostOffered", j."Offers")
FROM json_to_recordset(CAST(@rows AS json)) AS j("Res" text, "Starts" timestamptz, "What" text, "Queue" text, "BandName" text, "Named" text, "Taken" bigint, "Waits" bigint, "Oldest" bigint, "Runs" bigint, "Offers" bigint)
WHERE "Resolution" = j."Res" AND "Kind" = j."What" AND "StartsAt" = j."Starts" AND "QueueName" = j."Queue" AND "Band" = j."BandName" AND "Name" = j."Named";
