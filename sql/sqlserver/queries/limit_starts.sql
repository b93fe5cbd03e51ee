-- limit_starts: the starts in a period, and the pending ones. An assigned item may start at any
-- moment, so it counts; a claimed item counts from its claim until its start is recorded. A start
-- that is exactly one period old no longer counts. Two halves, each a range of the index.
-- The next fence is one higher, or the first of an epoch: see migration 0020.
-- In:  queue, rate_ms, key_rate_ms, keep_ms (the longer one), now (NULL: the database clock)
-- Out: key, starts in the queue's period, starts in the key's.
SELECT RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2,
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > {{now_minus ms=@rate_ms}} THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > {{now_minus ms=@key_rate_ms}} THEN 1 ELSE 0 END)
FROM (
    SELECT o.LimitKey, i.StartedAt
    FROM BotQueueStarts o LEFT JOIN BotWorkQueueItems i ON i.Id = o.ItemId AND (i.Fence = o.Fence + 1 OR i.Fence > o.Fence AND i.Fence % 1000000000 = 1) AND i.State = 1
    WHERE o.QueueName = CAST(@queue AS NVARCHAR(450)) AND o.StartedAt IS NULL
    UNION ALL
    SELECT b.LimitKey, b.StartedAt FROM BotQueueStarts b WHERE b.QueueName = CAST(@queue AS NVARCHAR(450))
        AND b.StartedAt > {{now_minus ms=@keep_ms}}
) s
GROUP BY RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2;
