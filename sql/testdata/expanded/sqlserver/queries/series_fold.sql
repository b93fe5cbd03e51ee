DELETE t
OUTPUT deleted.At, deleted.QueueName, deleted.Pipeline, deleted.Band, deleted.WorkerId, deleted.Event, deleted.Kind, deleted.Bucket, deleted.Events, deleted.DurationMs
FROM BotStatisticsDeltas t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id FROM BotStatisticsDeltas s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    ORDER BY s.Id);
