SELECT s.StartsAt, s.QueueName, s.Pipeline, s.Band, s.WorkerName, s.Figures, N'', N'', -1, 0, 0, CAST(NULL AS DATETIME2(3))
FROM BotStatistics s
WHERE s.Resolution = CAST(@resolution AS NVARCHAR(10)) AND s.StartsAt >= CAST(@since AS DATETIME2(3)) AND s.StartsAt < CAST(@until AS DATETIME2(3))
  AND (CAST(@queue AS NVARCHAR(200)) IS NULL OR s.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR s.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR s.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR s.WorkerName = CAST(@worker AS NVARCHAR(400)))
UNION ALL
SELECT m.StartsAt, m.QueueName, m.Pipeline, m.Band, COALESCE(w.Name, N''), NULL, m.Event, m.Kind, m.Bucket, m.Events, m.DurationMs, NULL
FROM (
    SELECT DATEADD(minute, d.MinuteNumber, CAST('2000-01-01' AS DATETIME2(3))) AS StartsAt, d.QueueName, d.Pipeline, d.Band, d.WorkerId, d.Event, d.Kind, d.Bucket,
        SUM(d.Events) AS Events, SUM(d.DurationMs) AS DurationMs
    FROM (
        SELECT DATEDIFF(minute, CAST('2000-01-01' AS DATETIME2(3)), t.At) AS MinuteNumber, t.QueueName, t.Pipeline, t.Band, t.WorkerId, t.Event, t.Kind, t.Bucket, t.Events, t.DurationMs
        FROM BotStatisticsDeltas t
        WHERE t.At >= CAST(@since AS DATETIME2(3)) AND t.At < CAST(@until AS DATETIME2(3))
          AND (CAST(@queue AS NVARCHAR(200)) IS NULL OR t.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR t.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
          AND (CAST(@band AS NVARCHAR(10)) IS NULL OR t.Band = CAST(@band AS NVARCHAR(10)))
    ) d
    GROUP BY d.MinuteNumber, d.QueueName, d.Pipeline, RTRIM(d.Pipeline) COLLATE Latin1_General_100_BIN2, d.Band, d.WorkerId, d.Event, d.Kind, d.Bucket
) m
LEFT JOIN BotWorkers w ON w.Id = m.WorkerId
WHERE CAST(@worker AS NVARCHAR(400)) IS NULL OR w.Name = CAST(@worker AS NVARCHAR(400))
UNION ALL
SELECT r.StartedAt, r.QueueName, r.Pipeline, r.Band, r.WorkerName, NULL, N'started', N'', -1, 1, 0, r.AvailableAt
FROM (
    SELECT i.StartedAt, i.QueueName, i.PipelineName AS Pipeline, CASE WHEN i.Priority > 1000 THEN N'high' WHEN i.Priority >= 500 THEN N'medium' ELSE N'low' END AS Band,
        COALESCE(w.Name, N'') AS WorkerName, i.AvailableAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 1 AND i.BegunFence = i.Fence AND i.StartedAt >= CAST(@since AS DATETIME2(3)) AND i.StartedAt < CAST(@until AS DATETIME2(3))
) r
WHERE (CAST(@queue AS NVARCHAR(200)) IS NULL OR r.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR r.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR r.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR r.WorkerName = CAST(@worker AS NVARCHAR(400)))
OPTION (RECOMPILE);
