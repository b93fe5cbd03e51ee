INSERT INTO "BotScheduleFirings" ("Schedule", "PlannedAt", "WorkerName", "Outcome", "RecordedBy", "RecordedAt")
SELECT CAST(@schedule AS varchar), CAST(@planned_at AS timestamptz), CAST(@worker_name AS varchar), 'fired', CAST(@recorded_by AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE CAST(@planned_at AS timestamptz) <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND NOT EXISTS (SELECT 1 FROM "BotPipelinePauses" pp WHERE pp."Pipeline" = @schedule AND pp."Paused" = TRUE)
  AND NOT EXISTS (SELECT 1 FROM "BotScheduleFirings" f
      WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = @worker_name);
