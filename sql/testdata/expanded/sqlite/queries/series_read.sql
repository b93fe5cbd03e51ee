SELECT CAST(s.StartsAt AS TEXT), s.QueueName, s.Pipeline, s.Band, s.WorkerName, s.Figures, '', '', -1, 0, 0, NULL
FROM BotStatistics s
WHERE s.Resolution = @resolution AND s.StartsAt >= @since AND s.StartsAt < @until
  AND (@queue IS NULL OR s.QueueName = @queue) AND (@pipeline IS NULL OR s.Pipeline = @pipeline)
  AND (@band IS NULL OR s.Band = @band) AND (@worker IS NULL OR s.WorkerName = @worker)
UNION ALL
SELECT m.Minute, m.QueueName, m.Pipeline, m.Band, COALESCE(w.Name, ''), NULL, m.Event, m.Kind, m.Bucket, m.Events, m.DurationMs, NULL
FROM (
    SELECT substr(d.At, 1, 16) || ':00.000' AS Minute, d.QueueName, d.Pipeline, d.Band, d.WorkerId, d.Event, d.Kind, d.Bucket,
        SUM(d.Events) AS Events, SUM(d.DurationMs) AS DurationMs
    FROM BotStatisticsDeltas d
    WHERE d.At >= @since AND d.At < @until
      AND (@queue IS NULL OR d.QueueName = @queue) AND (@pipeline IS NULL OR d.Pipeline = @pipeline) AND (@band IS NULL OR d.Band = @band)
    GROUP BY substr(d.At, 1, 16), d.QueueName, d.Pipeline, d.Band, d.WorkerId, d.Event, d.Kind, d.Bucket
) m
LEFT JOIN BotWorkers w ON w.Id = m.WorkerId
WHERE @worker IS NULL OR w.Name = @worker
UNION ALL
SELECT r.StartedAt, r.QueueName, r.Pipeline, r.Band, r.WorkerName, NULL, 'started', '', -1, 1, 0, r.AvailableAt
FROM (
    SELECT CAST(i.StartedAt AS TEXT) AS StartedAt, i.QueueName, CASE WHEN length(i.IntegrationConfig) <= 200 THEN i.IntegrationConfig ELSE '' END AS Pipeline, CASE WHEN i.Priority > 1000 THEN 'high' WHEN i.Priority >= 500 THEN 'medium' ELSE 'low' END AS Band,
        COALESCE(w.Name, '') AS WorkerName, CAST(i.AvailableAt AS TEXT) AS AvailableAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 1 AND i.BegunFence = i.Fence AND i.StartedAt >= @since AND i.StartedAt < @until
) r
WHERE (@queue IS NULL OR r.QueueName = @queue) AND (@pipeline IS NULL OR r.Pipeline = @pipeline)
  AND (@band IS NULL OR r.Band = @band) AND (@worker IS NULL OR r.WorkerName = @worker);
