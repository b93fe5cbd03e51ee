-- series_write: insert the sums of periods.
-- In:  rows [{Res, Starts, Queue, Pipe, BandName, Holder, Hash, Sums}]
INSERT INTO "BotStatistics" ("Resolution", "StartsAt", "QueueName", "Pipeline", "Band", "WorkerName", "KeyHash", "Figures")
SELECT j."Res", j."Starts", j."Queue", j."Pipe", j."BandName", j."Holder", j."Hash", j."Sums"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Res" text, "Starts" timestamptz, "Queue" text, "Pipe" text, "BandName" text,
    "Holder" text, "Hash" text, "Sums" text);
