-- limit_starts: the starts of a period, and those that are to come: what is assigned
-- may start at any moment, so its place is taken. A start that is exactly a period
-- old does not count any more.
-- In:  rows [{QueueName, RateMs, KeyRateMs, KeepMs}] (the longer one), now (NULL: the database clock)
-- Out: queue, key, starts in the queue's period, starts in the key's.
SELECT j.QueueName, RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2,
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > DATEADD(millisecond, -(j.RateMs % 1000), DATEADD(second, -(j.RateMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) THEN 1 ELSE 0 END),
    SUM(CASE WHEN s.StartedAt IS NULL OR s.StartedAt > DATEADD(millisecond, -(j.KeyRateMs % 1000), DATEADD(second, -(j.KeyRateMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) THEN 1 ELSE 0 END)
FROM OPENJSON(@rows) WITH (QueueName NVARCHAR(200) '$.QueueName', RateMs BIGINT '$.RateMs', KeyRateMs BIGINT '$.KeyRateMs', KeepMs BIGINT '$.KeepMs') j
JOIN BotQueueStarts s ON s.QueueName = j.QueueName
WHERE s.StartedAt IS NULL OR s.StartedAt > DATEADD(millisecond, -(j.KeepMs % 1000), DATEADD(second, -(j.KeepMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
GROUP BY j.QueueName, RTRIM(s.LimitKey) COLLATE Latin1_General_100_BIN2;
