-- series_read: the statistics of a time by period: the sums, what is not yet added to them, and the
-- starts of the runs that have not ended. One statement reads all three, so that a row that is added
-- meanwhile is read once.
-- In:  resolution, since, until, queue, pipeline, band, worker (NULL: any; the name)
-- Out: start or time, queue, pipeline, band, worker, figures (NULL: an event), event, kind, class, number, sum of the
--      durations, due time (of a run).
SELECT s.StartsAt, s.QueueName, s.Pipeline, s.Band, s.WorkerName, s.Figures, N'', N'', -1, 0, 0, CAST(NULL AS DATETIME2(3))
FROM BotStatistics s
WHERE s.Resolution = CAST(@resolution AS NVARCHAR(10)) AND s.StartsAt >= CAST(@since AS DATETIME2(3)) AND s.StartsAt < CAST(@until AS DATETIME2(3))
  AND (CAST(@queue AS NVARCHAR(200)) IS NULL OR s.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR s.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR s.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR s.WorkerName = CAST(@worker AS NVARCHAR(400)))
UNION ALL
SELECT d.At, d.QueueName, d.Pipeline, d.Band, COALESCE(w.Name, N''), NULL, d.Event, d.Kind, d.Bucket, d.Events, d.DurationMs, NULL
FROM BotStatisticsDeltas d
LEFT JOIN BotWorkers w ON w.Id = d.WorkerId
WHERE d.At >= CAST(@since AS DATETIME2(3)) AND d.At < CAST(@until AS DATETIME2(3))
  AND (CAST(@queue AS NVARCHAR(200)) IS NULL OR d.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR d.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR d.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR w.Name = CAST(@worker AS NVARCHAR(400)))
UNION ALL
SELECT r.StartedAt, r.QueueName, r.Pipeline, r.Band, r.WorkerName, NULL, N'started', N'', -1, 1, 0, r.AvailableAt
FROM (
    SELECT i.StartedAt, i.QueueName, {{pipeline_of config=i.IntegrationConfig}} AS Pipeline, {{band_of priority=i.Priority}} AS Band,
        COALESCE(w.Name, N'') AS WorkerName, i.AvailableAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 1 AND i.BegunFence = i.Fence AND i.StartedAt >= CAST(@since AS DATETIME2(3)) AND i.StartedAt < CAST(@until AS DATETIME2(3))
) r
WHERE (CAST(@queue AS NVARCHAR(200)) IS NULL OR r.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR r.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR r.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR r.WorkerName = CAST(@worker AS NVARCHAR(400)));
