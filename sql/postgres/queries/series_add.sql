-- series_add: insert what has happened in this transaction, for the statistics over time.
-- In:  rows [[HappenedAt (NULL: now), Queue, Pipe, BandName, HolderId, Event, Kind, Bucket, Events, DurationMs]],
--      now (NULL: the database clock)
INSERT INTO "BotStatisticsDeltas" ("At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Kind", "Bucket", "Events", "DurationMs")
SELECT COALESCE(CAST(j.value ->> 0 AS timestamptz), {{now}}), j.value ->> 1, j.value ->> 2, j.value ->> 3, CAST(j.value ->> 4 AS bigint),
    j.value ->> 5, j.value ->> 6, CAST(j.value ->> 7 AS int), CAST(j.value ->> 8 AS bigint), CAST(j.value ->> 9 AS bigint)
FROM json_array_elements(CAST(@rows AS json)) AS j;
