SELECT g.QueueName, g.Kind, g.Age, g.Bucket, SUM(g.Events), SUM(g.Level), SUM(g.DurationMs)
FROM (
    SELECT s.QueueName, s.Kind, s.Bucket, s.Events, s.Level, s.DurationMs,
        CASE WHEN s.StartsAt >= CAST(@since_1 AS DATETIME2(3)) THEN 0 WHEN s.StartsAt >= CAST(@since_2 AS DATETIME2(3)) THEN 1 WHEN s.StartsAt >= CAST(@since_3 AS DATETIME2(3)) THEN 2 WHEN s.StartsAt >= CAST(@since_4 AS DATETIME2(3)) THEN 3 ELSE 4 END AS Age
    FROM BotQueueStats s
    WHERE s.QueueName = CAST(@queue AS NVARCHAR(450))
) g
GROUP BY g.QueueName, g.Kind, g.Age, g.Bucket;
