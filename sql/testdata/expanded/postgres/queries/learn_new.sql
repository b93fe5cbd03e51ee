INSERT INTO "BotDurations" ("KeyHash", "Kind", "Pipeline", "Name", "Runs", "MeanMs", "P90Ms", "ErrorMs", "Histogram", "UpdatedAt")
SELECT j."KeyHash", j."Kind", j."Pipeline", j."Name", j."Runs", j."MeanMs", j."P90Ms", j."ErrorMs", j."Histogram",
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("KeyHash" text, "Kind" text, "Pipeline" text, "Name" text, "Runs" bigint,
    "MeanMs" double precision, "P90Ms" bigint, "ErrorMs" double precision, "Histogram" text);
