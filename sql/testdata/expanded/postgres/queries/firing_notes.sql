INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
SELECT j."Name", j."Instant", j."Holder", j."Result", j."Cause", j."Author", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Instant" timestamptz, "Holder" text, "Result" text, "Cause" text, "Author" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
    WHERE f."Schedule" = j."Name" AND f."PlannedAt" = j."Instant" AND f."WorkerName" = j."Holder");
