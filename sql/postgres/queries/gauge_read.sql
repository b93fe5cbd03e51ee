-- gauge_read: the samples of a time by period, queue and band. The row without a queue counts the samples.
-- In:  resolution, since, until, queue, band (NULL: any)
-- Out: start, queue, band, samples, sum and maximum of waiting ones, longest wait, sum and maximum of running ones.
SELECT g."StartsAt", g."QueueName", g."Band", g."Samples", g."Waiting", g."MostWaiting", g."OldestMs", g."Running", g."MostRunning"
FROM "BotStatisticsGauges" g
WHERE g."Resolution" = @resolution AND g."StartsAt" >= CAST(@since AS timestamptz) AND g."StartsAt" < CAST(@until AS timestamptz)
  AND (g."QueueName" = '' OR (CAST(@queue AS text) IS NULL OR g."QueueName" = @queue) AND (CAST(@band AS text) IS NULL OR g."Band" = @band));
