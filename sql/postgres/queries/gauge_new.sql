-- gauge_new: insert the rows of a sample that do not exist yet.
-- In:  rows [{Res, Starts, Queue, BandName, Taken, Waits, Oldest, Runs}]
INSERT INTO "BotStatisticsGauges" ("Resolution", "StartsAt", "QueueName", "Band", "Samples", "Waiting", "MostWaiting", "OldestMs", "Running", "MostRunning")
SELECT j."Res", j."Starts", j."Queue", j."BandName", j."Taken", j."Waits", j."Waits", j."Oldest", j."Runs", j."Runs"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Res" text, "Starts" timestamptz, "Queue" text, "BandName" text, "Taken" bigint, "Waits" bigint, "Oldest" bigint, "Runs" bigint)
WHERE NOT EXISTS (SELECT 1 FROM "BotStatisticsGauges" g
    WHERE g."Resolution" = j."Res" AND g."StartsAt" = j."Starts" AND g."QueueName" = j."Queue" AND g."Band" = j."BandName");
