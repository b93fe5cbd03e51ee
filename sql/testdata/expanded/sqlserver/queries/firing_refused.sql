SELECT COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    CASE WHEN EXISTS (SELECT 1 FROM BotScheduleFirings f
        WHERE f.Schedule = CAST(@schedule AS NVARCHAR(450)) AND f.PlannedAt = CAST(@planned_at AS DATETIME2(3)) AND f.WorkerName = CAST(@worker_name AS NVARCHAR(450))) THEN 1 ELSE 0 END,
    CASE WHEN EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = CAST(@schedule AS NVARCHAR(450)) AND pp.Paused = 1) THEN 1 ELSE 0 END;
