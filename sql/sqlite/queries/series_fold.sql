-- series_fold: remove the oldest rows that transactions have inserted; their sums are added to those of
-- their periods in the same transaction. Two calls at the same time never get the same row.
-- In:  limit_rows
-- Out: the values of the removed rows.
DELETE FROM BotStatisticsDeltas
WHERE Id IN (SELECT s.Id FROM BotStatisticsDeltas s ORDER BY s.Id LIMIT CAST(@limit_rows AS INTEGER))
RETURNING CAST(At AS TEXT), QueueName, Pipeline, Band, WorkerId, Event, Kind, Bucket, Events, DurationMs;
