-- series_fold: remove the oldest rows that transactions have inserted; their sums are added to those of
-- their periods in the same transaction. Two calls at the same time never get the same row.
-- In:  limit_rows
-- Out: the values of the removed rows.
DELETE t
OUTPUT deleted.At, deleted.QueueName, deleted.Pipeline, deleted.Band, deleted.WorkerId, deleted.Event, deleted.Kind, deleted.Bucket, deleted.Events, deleted.DurationMs
FROM BotStatisticsDeltas t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id FROM BotStatisticsDeltas s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    ORDER BY s.Id);
