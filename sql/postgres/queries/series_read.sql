-- series_read: the statistics of a time by period: the sums, what is not yet added to them, and the
-- starts of the runs that have not ended. One statement reads all three, so that a row that is added
-- meanwhile is read once.
-- In:  resolution, since, until, queue, pipeline, band, worker (NULL: any; the name)
-- Out: start or time, queue, pipeline, band, worker, figures (NULL: an event), event, kind, class, number, sum of the
--      durations, due time (of a run).
SELECT s."StartsAt", s."QueueName", s."Pipeline", s."Band", s."WorkerName", s."Figures", '', '', -1, 0, 0, CAST(NULL AS timestamptz)
FROM "BotStatistics" s
WHERE s."Resolution" = @resolution AND s."StartsAt" >= CAST(@since AS timestamptz) AND s."StartsAt" < CAST(@until AS timestamptz)
  AND (CAST(@queue AS text) IS NULL OR s."QueueName" = @queue) AND (CAST(@pipeline AS text) IS NULL OR s."Pipeline" = @pipeline)
  AND (CAST(@band AS text) IS NULL OR s."Band" = @band) AND (CAST(@worker AS text) IS NULL OR s."WorkerName" = @worker)
UNION ALL
SELECT d."At", d."QueueName", d."Pipeline", d."Band", COALESCE(w."Name", ''), NULL, d."Event", d."Kind", d."Bucket", d."Events", d."DurationMs", NULL
FROM "BotStatisticsDeltas" d
LEFT JOIN "BotWorkers" w ON w."Id" = d."WorkerId"
WHERE d."At" >= CAST(@since AS timestamptz) AND d."At" < CAST(@until AS timestamptz)
  AND (CAST(@queue AS text) IS NULL OR d."QueueName" = @queue) AND (CAST(@pipeline AS text) IS NULL OR d."Pipeline" = @pipeline)
  AND (CAST(@band AS text) IS NULL OR d."Band" = @band) AND (CAST(@worker AS text) IS NULL OR w."Name" = @worker)
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
