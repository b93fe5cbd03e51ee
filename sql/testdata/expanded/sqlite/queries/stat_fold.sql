DELETE FROM BotQueueStats
WHERE Id IN (
    SELECT s.Id FROM BotQueueStats s
    WHERE s.Tier = @tier AND s.StartsAt < @before
    ORDER BY s.StartsAt, s.Id
    LIMIT CAST(@limit_rows AS INTEGER))
RETURNING QueueName, Kind, StartsAt, Bucket, Events, Level, DurationMs;
