-- series_read: the statistics of a time by period: the sums, what is not yet added to them, and the
-- starts of the runs that have not ended. One statement reads all three, so that a row that is added
-- meanwhile is read once. What is not yet added comes by minute: a fast drain inserts thousands of rows in one.
-- Names that differ only in case stay apart.
-- RECOMPILE: a plan for all combinations of the parameters that may be NULL would read the whole time; the few pages
-- that ask for this can pay for a plan of their own.
-- In:  resolution, since, until, queue, pipeline, band, worker (NULL: any; the name)
-- Out: start or time, queue, pipeline, band, worker, figures (NULL: an event), event, kind, class, number, sum of the
--      durations, due time (of a run).
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
    SELECT i.StartedAt, i.QueueName, i.PipelineName AS Pipeline, {{band_of priority=i.Priority}} AS Band,
        COALESCE(w.Name, N'') AS WorkerName, i.AvailableAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 1 AND i.BegunFence = i.Fence AND i.StartedAt >= CAST(@since AS DATETIME2(3)) AND i.StartedAt < CAST(@until AS DATETIME2(3))
) r
WHERE (CAST(@queue AS NVARCHAR(200)) IS NULL OR r.QueueName = CAST(@queue AS NVARCHAR(200))) AND (CAST(@pipeline AS NVARCHAR(200)) IS NULL OR r.Pipeline = CAST(@pipeline AS NVARCHAR(200)))
  AND (CAST(@band AS NVARCHAR(10)) IS NULL OR r.Band = CAST(@band AS NVARCHAR(10))) AND (CAST(@worker AS NVARCHAR(400)) IS NULL OR r.WorkerName = CAST(@worker AS NVARCHAR(400)))
OPTION (RECOMPILE);
