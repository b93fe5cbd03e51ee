-- firing_backfill: record that a backfill fires a planned instant that has no record, so that its
-- schedule does not fire it. A record of a missed or skipped instant stays as it is.
-- In:  schedule, planned_at, recorded_by, now (NULL: the database clock)
INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
SELECT CAST(@schedule AS varchar), CAST(@planned_at AS timestamptz), '', 'fired', 'backfill', CAST(@recorded_by AS varchar), {{now}}
WHERE NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
    WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = '');
