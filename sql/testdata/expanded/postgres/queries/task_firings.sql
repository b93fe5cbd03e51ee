SELECT f."Schedule", f."PlannedAt", f."WorkerName", f."Outcome", f."Reason", f."RecordedBy", f."RecordedAt"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Since" timestamptz)
JOIN "BotScheduleFirings" f ON f."Schedule" = j."Name" AND f."PlannedAt" >= j."Since";
