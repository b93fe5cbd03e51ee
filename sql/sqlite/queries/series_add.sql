-- series_add: insert what has happened in this transaction, for the statistics over time.
-- In:  rows [[HappenedAt (NULL: now), Queue, Pipe, BandName, HolderId, Event, Kind, Bucket, Events, DurationMs]],
--      now (NULL: the database clock)
INSERT INTO BotStatisticsDeltas (At, QueueName, Pipeline, Band, WorkerId, Event, Kind, Bucket, Events, DurationMs)
SELECT COALESCE(value ->> 0, {{now}}), value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9
FROM jsonb_each(@rows);
