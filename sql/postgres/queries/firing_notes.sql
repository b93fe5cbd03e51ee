-- firing_notes: record planned instants that were missed or skipped. An
-- instant that has a record keeps it.
-- In:  rows [{Name, Instant, Holder, Result, Cause, Author}], now (NULL: the database clock)
INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
SELECT j."Name", j."Instant", j."Holder", j."Result", j."Cause", j."Author", {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Instant" timestamptz, "Holder" text, "Result" text, "Cause" text, "Author" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
    WHERE f."Schedule" = j."Name" AND f."PlannedAt" = j."Instant" AND f."WorkerName" = j."Holder");
