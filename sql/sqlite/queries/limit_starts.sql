-- limit_starts: the starts of a period, and those that are to come: what is assigned
-- may start at any moment, so its place is taken. A start that is exactly a period
-- old does not count any more.
-- In:  rows [{QueueName, RateMs, KeyRateMs, KeepMs}] (the longer one), now (NULL: the database clock)
-- Out: queue, key, starts in the queue's period, starts in the key's.
SELECT j.QueueName, s.LimitKey,
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -j.RateMs / 1000.0)) THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -j.KeyRateMs / 1000.0)) THEN 1 ELSE 0 END)
FROM (SELECT json_extract(value, '$.QueueName') AS QueueName, json_extract(value, '$.RateMs') AS RateMs, json_extract(value, '$.KeyRateMs') AS KeyRateMs, json_extract(value, '$.KeepMs') AS KeepMs FROM json_each(@rows)) j
JOIN BotQueueStarts s ON s.QueueName = j.QueueName
WHERE s.StartedAt IS NULL OR s.StartedAt > strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -j.KeepMs / 1000.0))
GROUP BY j.QueueName, s.LimitKey;
