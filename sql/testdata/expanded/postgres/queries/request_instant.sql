SELECT f."Outcome" FROM "BotScheduleFirings" f
WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = '';
