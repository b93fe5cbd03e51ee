SELECT g.QueueName, g.Kind, g.Age, g.Bucket, SUM(g.Events), SUM(g.Level), SUM(g.DurationMs)
FROM (
    SELECT s.QueueName, s.Kind, s.Bucket, s.Events, s.Level, s.DurationMs,
        CASE WHEN s.StartsAt >= @since_1 THEN 0 WHEN s.StartsAt >= @since_2 THEN 1 WHEN s.StartsAt >= @since_3 THEN 2 WHEN s.StartsAt >= @since_4 THEN 3 ELSE 4 END AS Age
    FROM BotQueueStats s
) g
GROUP BY g.QueueName, g.Kind, g.Age, g.Bucket;
