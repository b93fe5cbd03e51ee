-- learn_new: insert the learned durations of new keys. A unique key refuses keys that another
-- process has inserted meanwhile.
-- In:  rows [{KeyHash, Kind, Pipeline, Name, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
INSERT INTO "BotDurations" ("KeyHash", "Kind", "Pipeline", "Name", "Runs", "MeanMs", "P90Ms", "ErrorMs", "Histogram", "UpdatedAt")
SELECT j."KeyHash", j."Kind", j."Pipeline", j."Name", j."Runs", j."MeanMs", j."P90Ms", j."ErrorMs", j."Histogram",
    {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text, "Kind" text, "Pipeline" text, "Name" text, "Runs" bigint,
    "MeanMs" double precision, "P90Ms" bigint, "ErrorMs" double precision, "Histogram" text);
