INSERT INTO BotStatisticsGauges (Resolution, StartsAt, Kind, QueueName, Band, Name, Samples)
SELECT 'minute', @starts, '', '', '', '', 1
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g WHERE g.Resolution = 'minute' AND g.StartsAt = @starts AND g.Kind = '' AND g.QueueName = '' AND g.Band = '' AND g.Name = '');
