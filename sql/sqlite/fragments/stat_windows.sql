-- stat_windows: sums of what is kept of the queues, by the window that a row falls into: the end
-- of the FROM and the GROUP BY follow.
-- In:  since_1 to since_4: where the windows begin, the shortest first
SELECT g.QueueName, g.Kind, g.Age, g.Bucket, SUM(g.Events), SUM(g.Level), SUM(g.DurationMs)
FROM (
    SELECT s.QueueName, s.Kind, s.Bucket, s.Events, s.Level, s.DurationMs,
        CASE WHEN s.StartsAt >= @since_1 THEN 0 WHEN s.StartsAt >= @since_2 THEN 1 WHEN s.StartsAt >= @since_3 THEN 2 WHEN s.StartsAt >= @since_4 THEN 3 ELSE 4 END AS Age
    FROM BotQueueStats s
