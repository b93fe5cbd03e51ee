SELECT s.LimitKey,
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@rate_ms / 1000.0)) THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@key_rate_ms / 1000.0)) THEN 1 ELSE 0 END)
FROM (
    SELECT o.LimitKey, i.StartedAt
    FROM BotQueueStarts o LEFT JOIN BotWorkQueueItems i ON i.Id = o.ItemId AND (i.Fence = o.Fence + 1 OR i.Fence > o.Fence AND i.Fence % 1000000000 = 1) AND i.State = 1
    WHERE o.QueueName = @queue AND o.StartedAt IS NULL
    UNION ALL
    SELECT b.LimitKey, b.StartedAt FROM BotQueueStarts b WHERE b.QueueName = @queue
        AND b.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@keep_ms / 1000.0))
) s
GROUP BY s.LimitKey;
