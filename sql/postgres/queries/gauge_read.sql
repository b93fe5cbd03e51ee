-- gauge_read: the samples of a time by period: of queues and bands (an empty kind), of the items of a pipeline by
-- queue and band, or of workers. Two rows of a period are of the whole cluster and count its samples: that with neither a
-- kind nor a queue, and that of the kind slots, which counts those of pipelines and workers.
-- In:  resolution, since, until, kind, queue, band, name (NULL: any)
-- Out: start, kind, queue, band, name, samples, sum and maximum of waiting ones, longest wait, sum and maximum of running
--      ones, sum and maximum of offered slots.
SELECT g."StartsAt", g."Kind", g."QueueName", g."Band", g."Name", g."Samples", g."Waiting", g."MostWaiting", g."OldestMs", g."Running", g."MostRunning", g."Offered", g."MostOffered"
FROM "BotStatisticsGauges" g
WHERE g."Resolution" = @resolution AND g."Kind" IN (@kind, 'slots') AND g."StartsAt" >= CAST(@since AS timestamptz) AND g."StartsAt" < CAST(@until AS timestamptz)
  AND (g."Kind" = 'slots' OR g."Kind" = '' AND g."QueueName" = ''
    OR (CAST(@queue AS text) IS NULL OR g."QueueName" = @queue) AND (CAST(@band AS text) IS NULL OR g."Band" = @band) AND (CAST(@name AS text) IS NULL OR g."Name" = @name));
