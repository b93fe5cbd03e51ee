UPDATE "BotDurations" SET
    "Runs" = j."Runs",
    "MeanMs" = j."MeanMs",
    "P90Ms" = j."P90Ms",
    "ErrorMs" = j."ErrorMs",
    "Histogram" = j."Histogram",
    "Version" = "BotDurations"."Version" + 1,
    "UpdatedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text, "OldVersion" bigint, "Runs" bigint, "MeanMs" double precision,
    "P90Ms" bigint, "ErrorMs" double precision, "Histogram" text)
WHERE "BotDurations"."KeyHash" = j."KeyHash" AND "BotDurations"."Version" = j."OldVersion";
