SELECT TOP (@limit_rows) c.Id, c.State, c.Version, c.Priority, c.Selectors, c.AvailableAt, c.Step
FROM (
    SELECT i.Id, i.State, i.Version, i.Priority, i.Selectors, i.AvailableAt, COALESCE(m.Step, 0) AS Step
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    LEFT JOIN BotItemEscalations m ON m.ItemId = i.Id AND m.RuleId = @rule AND m.DueAt = i.AvailableAt
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NULL AND i.PipelineName = CAST(@pipeline AS NVARCHAR(450)) AND i.DeletedAt IS NULL
      AND i.AvailableAt <= DATEADD(millisecond, -(@after_ms % 1000), DATEADD(second, -(@after_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND (m.Step IS NULL OR @every_ms > 0 AND i.AvailableAt <= DATEADD(millisecond, -((@after_ms + @every_ms * m.Step) % 1000), DATEADD(second, -((@after_ms + @every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (m.Step IS NULL OR @since IS NULL OR CAST(@since AS DATETIME2(3)) <= DATEADD(millisecond, -((@every_ms * m.Step) % 1000), DATEADD(second, -((@every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (@cap IS NULL OR i.Priority < @cap)
      AND (@selective = 0 OR i.Selectors IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Paused = 1)
    UNION ALL
    SELECT i.Id, i.State, i.Version, i.Priority, i.Selectors, i.AvailableAt, COALESCE(m.Step, 0) AS Step
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    LEFT JOIN BotItemEscalations m ON m.ItemId = i.Id AND m.RuleId = @rule AND m.DueAt = i.AvailableAt
    WHERE i.State IN (0, 4) AND i.Fence >= 0 AND i.DeadlineAt IS NOT NULL AND i.PipelineName = CAST(@pipeline AS NVARCHAR(450)) AND i.DeletedAt IS NULL
      AND i.AvailableAt <= DATEADD(millisecond, -(@after_ms % 1000), DATEADD(second, -(@after_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND (m.Step IS NULL OR @every_ms > 0 AND i.AvailableAt <= DATEADD(millisecond, -((@after_ms + @every_ms * m.Step) % 1000), DATEADD(second, -((@after_ms + @every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (m.Step IS NULL OR @since IS NULL OR CAST(@since AS DATETIME2(3)) <= DATEADD(millisecond, -((@every_ms * m.Step) % 1000), DATEADD(second, -((@every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (@cap IS NULL OR i.Priority < @cap)
      AND (@selective = 0 OR i.Selectors IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Paused = 1)
    UNION ALL
    SELECT i.Id, i.State, i.Version, i.Priority, i.Selectors, i.AvailableAt, COALESCE(m.Step, 0) AS Step
    FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
    LEFT JOIN BotItemEscalations m ON m.ItemId = i.Id AND m.RuleId = @rule AND m.DueAt = i.AvailableAt
    WHERE i.State = 5 AND @assigned = 1 AND i.PipelineName = CAST(@pipeline AS NVARCHAR(450)) AND i.DeletedAt IS NULL
      AND i.AvailableAt <= DATEADD(millisecond, -(@after_ms % 1000), DATEADD(second, -(@after_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND (m.Step IS NULL OR @every_ms > 0 AND i.AvailableAt <= DATEADD(millisecond, -((@after_ms + @every_ms * m.Step) % 1000), DATEADD(second, -((@after_ms + @every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (m.Step IS NULL OR @since IS NULL OR CAST(@since AS DATETIME2(3)) <= DATEADD(millisecond, -((@every_ms * m.Step) % 1000), DATEADD(second, -((@every_ms * m.Step) / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))))
      AND (@cap IS NULL OR i.Priority < @cap)
      AND (@selective = 0 OR i.Selectors IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Paused = 1)
) c;
