DELETE FROM BotStatisticsDeltas
WHERE Id IN (SELECT s.Id FROM BotStatisticsDeltas s ORDER BY s.Id LIMIT CAST(@limit_rows AS INTEGER))
RETURNING CAST(At AS TEXT), QueueName, Pipeline, Band, WorkerId, Event, Kind, Bucket, Events, DurationMs;
