SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CASE WHEN EXISTS (SELECT 1 FROM BotScheduleFirings f
        WHERE f.Schedule = @schedule AND f.PlannedAt = @planned_at AND f.WorkerName = @worker_name) THEN 1 ELSE 0 END,
    CASE WHEN EXISTS (SELECT 1 FROM BotPipelinePauses pp WHERE pp.Pipeline = @schedule AND pp.Paused = 1) THEN 1 ELSE 0 END;
