-- stat_fold: remove the oldest rows of a tier, which are then stored as sums. Two calls at the same
-- time never get the same row.
-- In:  tier, before, limit_rows
-- Out: the values of the removed rows.
DELETE t
OUTPUT deleted.QueueName, deleted.Kind, deleted.StartsAt, deleted.Bucket, deleted.Events, deleted.Level, deleted.DurationMs
FROM BotQueueStats t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Tier = @tier AND Id IN (
    SELECT TOP (@limit_rows) s.Id FROM BotQueueStats s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE s.Tier = @tier AND s.StartsAt < CAST(@before AS DATETIME2(3))
    ORDER BY s.StartsAt, s.Id);
