-- series_count: count what happened, by hour, from the items and their attempts: a recount of the
-- statistics over time. A run that succeeded, or was cancelled without an attempt, started at the StartedAt of
-- its item; others have an attempt. A cancelled run did not fail.
-- In:  since
-- Out: queue, start of the hour, event, kind of the error, number.
SELECT v.QueueName, v.Starts, v.Event, v.Kind, COUNT(*)
FROM (
SELECT u.QueueName, substr(u.HappenedAt, 1, 13) || ':00:00.000' AS Starts, u.Event, u.Kind
FROM (
    SELECT i.QueueName, CAST(i.CreatedAt AS TEXT) AS HappenedAt, 'enqueued' AS Event, '' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.CreatedAt >= @since
    UNION ALL
    SELECT i.QueueName, CAST(i.FinishedAt AS TEXT) AS HappenedAt, 'succeeded' AS Event, '' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State = 2 AND i.FinishedAt >= @since
    UNION ALL
    SELECT i.QueueName, CAST(i.FinishedAt AS TEXT) AS HappenedAt, 'cancelled' AS Event, COALESCE(i.ErrorKind, '') AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State = 3 AND i.FinishedAt >= @since
    UNION ALL
    SELECT i.QueueName, CAST(i.StartedAt AS TEXT) AS HappenedAt, 'started' AS Event, '' AS Kind
    FROM BotWorkQueueItems i
    WHERE i.State IN (2, 3) AND i.StartedAt >= @since
      AND NOT EXISTS (SELECT 1 FROM BotWorkItemAttempts b WHERE b.ItemId = i.Id AND b.Fence = i.Fence)
    UNION ALL
    SELECT i.QueueName, CAST(a.StartedAt AS TEXT) AS HappenedAt, 'started' AS Event, '' AS Kind
    FROM BotWorkItemAttempts a
    JOIN BotWorkQueueItems i ON i.Id = a.ItemId
    WHERE a.StartedAt >= @since
    UNION ALL
    SELECT i.QueueName, CAST(a.FinishedAt AS TEXT) AS HappenedAt, CASE WHEN a.Outcome = 'timeout' THEN 'failed' ELSE a.Outcome END AS Event, CASE WHEN a.Outcome IN ('failed', 'timeout') THEN COALESCE(a.ErrorKind, '') ELSE '' END AS Kind
    FROM BotWorkItemAttempts a
    JOIN BotWorkQueueItems i ON i.Id = a.ItemId
    WHERE a.FinishedAt >= @since AND COALESCE(a.ErrorKind, '') <> 'cancelled'
) u
) v
GROUP BY v.QueueName, v.Starts, v.Event, v.Kind;
