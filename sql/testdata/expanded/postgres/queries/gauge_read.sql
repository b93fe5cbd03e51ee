SELECT g."StartsAt", g."Kind", g."QueueName", g."Band", g."Name", g."Samples", g."Waiting", g."MostWaiting", g."OldestMs", g."Running", g."MostRunning", g."Offered", g."MostOffered"
FROM "BotStatisticsGauges" g
WHERE g."Resolution" = @resolution AND g."Kind" IN (@kind, 'slots') AND g."StartsAt" >= CAST(@since AS timestamptz) AND g."StartsAt" < CAST(@until AS timestamptz)
  AND (g."Kind" = 'slots' OR g."Kind" = '' AND g."QueueName" = ''
    OR (CAST(@queue AS text) IS NULL OR g."QueueName" = @queue) AND (CAST(@band AS text) IS NULL OR g."Band" = @band) AND (CAST(@name AS text) IS NULL OR g."Name" = @name));
