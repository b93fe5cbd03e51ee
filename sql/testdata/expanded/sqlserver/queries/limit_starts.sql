SELECT RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2,
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > DATEADD(millisecond, -(@rate_ms % 1000), DATEADD(second, -(@rate_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > DATEADD(millisecond, -(@key_rate_ms % 1000), DATEADD(second, -(@key_rate_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) THEN 1 ELSE 0 END)
FROM (
    SELECT o.LimitKey, i.StartedAt
    FROM BotQueueStarts o LEFT JOIN BotWorkQueueItems i ON i.Id = o.ItemId AND (i.Fence = o.Fence + 1 OR i.Fence > o.Fence AND i.Fence % 1000000000 = 1) AND i.State = 1
    WHERE o.QueueName = CAST(@queue AS NVARCHAR(450)) AND o.StartedAt IS NULL
    UNION ALL
    SELECT b.LimitKey, b.StartedAt FROM BotQueueStarts b WHERE b.QueueName = CAST(@queue AS NVARCHAR(450))
        AND b.StartedAt > DATEADD(millisecond, -(@keep_ms % 1000), DATEADD(second, -(@keep_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
) s
GROUP BY RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2;
