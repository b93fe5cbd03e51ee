INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "Reason", "RecordedBy", "RecordedAt")
SELECT CAST(@schedule AS varchar), CAST(@planned_at AS timestamptz), '', 'fired', 'backfill', CAST(@recorded_by AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
    WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = '');
