-- task_firings: the records of tasks' windows.
-- In:  rows [{Name, Since}]: a schedule, and the instant from which its records are read
-- Out: schedule, planned instant, scope value, outcome, reason, by whom, when.
SELECT f."Schedule", f."PlannedAt", f."WorkerName", f."Outcome", f."Reason", f."RecordedBy", f."RecordedAt"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Name" text, "Since" timestamptz)
JOIN "BotScheduleFirings" f ON f."Schedule" = j."Name" AND f."PlannedAt" >= j."Since";
