DELETE FROM BotStatisticsDeltas
OUTPUT deleted.At, deleted.QueueName, deleted.Pipeline, deleted.Band, deleted.WorkerId, deleted.Event, deleted.Kind, deleted.Bucket, deleted.Events, deleted.DurationMs
WHERE Id IN (
    SELECT TOP (@limit_rows) s.Id FROM BotStatisticsDeltas s WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    ORDER BY s.Id);
