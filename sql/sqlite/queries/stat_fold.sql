-- stat_fold: take up the oldest rows of a tier, to be kept as sums. Two that
-- do so at a time never take the same row.
-- In:  tier, before, limit_rows
-- Out: what the removed rows held.
DELETE FROM BotQueueStats
WHERE Id IN (
    SELECT s.Id FROM BotQueueStats s
    WHERE s.Tier = @tier AND s.StartsAt < @before
    ORDER BY s.StartsAt, s.Id
    LIMIT CAST(@limit_rows AS INTEGER))
RETURNING QueueName, Kind, StartsAt, Bucket, Events, Level, DurationMs;
