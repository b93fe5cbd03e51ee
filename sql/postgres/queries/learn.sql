-- learn: update the learned durations of keys, unless another process has updated them since they
-- were read.
-- In:  rows [{KeyHash, OldVersion, Runs, MeanMs, P90Ms, ErrorMs, Histogram}], now (NULL: the database clock)
UPDATE "BotDurations" SET
    "Runs" = j."Runs",
    "MeanMs" = j."MeanMs",
    "P90Ms" = j."P90Ms",
    "ErrorMs" = j."ErrorMs",
    "Histogram" = j."Histogram",
    "Version" = "BotDurations"."Version" + 1,
    "UpdatedAt" = {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text, "OldVersion" bigint, "Runs" bigint, "MeanMs" double precision,
    "P90Ms" bigint, "ErrorMs" double precision, "Histogram" text)
WHERE "BotDurations"."KeyHash" = j."KeyHash" AND "BotDurations"."Version" = j."OldVersion";
