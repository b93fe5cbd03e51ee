SELECT CAST(g.StartsAt AS TEXT), g.Kind, g.QueueName, g.Band, g.Name, g.Samples, g.Waiting, g.MostWaiting, g.OldestMs, g.Running, g.MostRunning, g.Offered, g.MostOffered
FROM BotStatisticsGauges g
WHERE g.Resolution = @resolution AND g.Kind IN (@kind, 'slots') AND g.StartsAt >= @since AND g.StartsAt < @until
  AND (g.Kind = 'slots' OR g.Kind = '' AND g.QueueName = ''
    OR (@queue IS NULL OR g.QueueName = @queue) AND (@band IS NULL OR g.Band = @band) AND (@name IS NULL OR g.Name = @name));
