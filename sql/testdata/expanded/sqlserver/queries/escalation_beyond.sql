SELECT TOP (@limit_rows) ranked.Id, ranked.State, ranked.Version, ranked.Priority, ranked.Selectors, ranked.AvailableAt, 0 AS Step
FROM (
    SELECT i.Id, i.State, i.Version, i.Priority, i.Selectors, i.AvailableAt, ROW_NUMBER() OVER (ORDER BY i.Priority DESC, i.Id) AS Place
    FROM (
        SELECT a.Id, a.State, a.Version, a.Priority, a.Selectors, a.AvailableAt
        FROM BotWorkQueueItems a
        WHERE a.State IN (0, 4) AND a.Fence >= 0 AND a.DeadlineAt IS NULL AND a.QueueName = CAST(@queue AS NVARCHAR(450)) AND a.DeletedAt IS NULL AND a.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
        UNION ALL
        SELECT b.Id, b.State, b.Version, b.Priority, b.Selectors, b.AvailableAt
        FROM BotWorkQueueItems b
        WHERE b.State IN (0, 4) AND b.Fence >= 0 AND b.DeadlineAt IS NOT NULL AND b.QueueName = CAST(@queue AS NVARCHAR(450)) AND b.DeletedAt IS NULL AND b.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
    ) i
) ranked
LEFT JOIN BotItemEscalations m ON m.ItemId = ranked.Id AND m.RuleId = @rule AND m.DueAt = ranked.AvailableAt
WHERE ranked.Place > @keep AND m.Step IS NULL AND ranked.AvailableAt <= DATEADD(millisecond, -(@after_ms % 1000), DATEADD(second, -(@after_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = CAST(@queue AS NVARCHAR(450)) AND q.Paused = 1);
