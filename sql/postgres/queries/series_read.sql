-- series_read: the statistics of a time by period: the sums, what is not yet added to them, and the
-- starts of the runs that have not ended. One statement reads all three, so that a row that is added
-- meanwhile is read once. What is not yet added comes by minute: a fast drain inserts thousands of rows in one.
-- In:  resolution, since, until, queue, pipeline, band, worker (NULL: any; the name)
-- Out: start or time, queue, pipeline, band, worker, figures (NULL: an event), event, kind, class, number, sum of the
--      durations, due time (of a run).
SELECT s."StartsAt", s."QueueName", s."Pipeline", s."Band", s."WorkerName", s."Figures", '', '', -1, 0, 0, CAST(NULL AS timestamptz)
FROM "BotStatistics" s
WHERE s."Resolution" = @resolution AND s."StartsAt" >= CAST(@since AS timestamptz) AND s."StartsAt" < CAST(@until AS timestamptz)
  AND (CAST(@queue AS text) IS NULL OR s."QueueName" = @queue) AND (CAST(@pipeline AS text) IS NULL OR s."Pipeline" = @pipeline)
  AND (CAST(@band AS text) IS NULL OR s."Band" = @band) AND (CAST(@worker AS text) IS NULL OR s."WorkerName" = @worker)
UNION ALL
SELECT m."Minute", m."QueueName", m."Pipeline", m."Band", COALESCE(w."Name", ''), NULL, m."Event", m."Kind", m."Bucket", m."Events", m."DurationMs", NULL
FROM (
    SELECT date_bin('1 minute', d."At", '2000-01-01 00:00:00+00') AS "Minute", d."QueueName", d."Pipeline", d."Band", d."WorkerId", d."Event", d."Kind", d."Bucket",
        CAST(SUM(d."Events") AS bigint) AS "Events", CAST(SUM(d."DurationMs") AS bigint) AS "DurationMs"
    FROM "BotStatisticsDeltas" d
    WHERE d."At" >= CAST(@since AS timestamptz) AND d."At" < CAST(@until AS timestamptz)
      AND (CAST(@queue AS text) IS NULL OR d."QueueName" = @queue) AND (CAST(@pipeline AS text) IS NULL OR d."Pipeline" = @pipeline)
      AND (CAST(@band AS text) IS NULL OR d."Band" = @band)
    GROUP BY 1, d."QueueName", d."Pipeline", d."Band", d."WorkerId", d."Event", d."Kind", d."Bucket"
) m
LEFT JOIN "BotWorkers" w ON w."Id" = m."WorkerId"
WHERE CAST(@worker AS text) IS NULL OR w."Name" = @worker
UNION ALL
SELECT r."StartedAt", r."QueueName", r."Pipeline", r."Band", r."WorkerName", NULL, 'started', '', -1, 1, 0, r."AvailableAt"
FROM (
    SELECT i."StartedAt", i."QueueName", {{pipeline_of config=i."IntegrationConfig"}} AS "Pipeline", {{band_of priority=i."Priority"}} AS "Band",
        COALESCE(w."Name", '') AS "WorkerName", i."AvailableAt"
    FROM "BotWorkQueueItems" i
    LEFT JOIN "BotWorkers" w ON w."Id" = i."WorkerId"
    WHERE i."State" = 1 AND i."BegunFence" = i."Fence" AND i."StartedAt" >= CAST(@since AS timestamptz) AND i."StartedAt" < CAST(@until AS timestamptz)
) r
WHERE (CAST(@queue AS text) IS NULL OR r."QueueName" = @queue) AND (CAST(@pipeline AS text) IS NULL OR r."Pipeline" = @pipeline)
  AND (CAST(@band AS text) IS NULL OR r."Band" = @band) AND (CAST(@worker AS text) IS NULL OR r."WorkerName" = @worker);
