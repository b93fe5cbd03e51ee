-- gauge_turn: insert the sample of the whole cluster for a minute. The process that inserts it takes the
-- samples of the queues. It has no queue.
-- In:  starts
INSERT INTO BotStatisticsGauges (Resolution, StartsAt, Kind, QueueName, Band, Name, Samples)
SELECT 'minute', @starts, '', '', '', '', 1
WHERE NOT EXISTS (SELECT 1 FROM BotStatisticsGauges g WHERE g.Resolution = 'minute' AND g.StartsAt = @starts AND g.Kind = '' AND g.QueueName = '' AND g.Band = '' AND g.Name = '');
