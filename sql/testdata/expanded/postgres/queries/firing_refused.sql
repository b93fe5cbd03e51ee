SELECT CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    CASE WHEN EXISTS (SELECT 1 FROM "BotScheduleFirings" f
        WHERE f."Schedule" = @schedule AND f."PlannedAt" = CAST(@planned_at AS timestamptz) AND f."WorkerName" = @worker_name) THEN 1 ELSE 0 END,
    CASE WHEN EXISTS (SELECT 1 FROM "BotPipelinePauses" pp WHERE pp."Pipeline" = @schedule AND pp."Paused" = TRUE) THEN 1 ELSE 0 END;
