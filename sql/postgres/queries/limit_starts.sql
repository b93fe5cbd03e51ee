-- limit_starts: the starts of a period, and those that are to come: what is assigned
-- may start at any moment, so its place is taken. A start that is exactly a period
-- old does not count any more.
-- In:  rows [{QueueName, RateMs, KeyRateMs, KeepMs}] (the longer one), now (NULL: the database clock)
-- Out: queue, key, starts in the queue's period, starts in the key's.
SELECT j."QueueName", s."LimitKey",
    SUM(CASE WHEN s."StartedAt" IS NULL OR s."StartedAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."RateMs" * INTERVAL '1 millisecond' THEN 1 ELSE 0 END),
    SUM(CASE WHEN s."StartedAt" IS NULL OR s."StartedAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."KeyRateMs" * INTERVAL '1 millisecond' THEN 1 ELSE 0 END)
FROM json_to_recordset(CAST(@rows AS json)) AS j("QueueName" text, "RateMs" bigint, "KeyRateMs" bigint, "KeepMs" bigint)
JOIN "BotQueueStarts" s ON s."QueueName" = j."QueueName"
WHERE s."StartedAt" IS NULL OR s."StartedAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - j."KeepMs" * INTERVAL '1 millisecond'
GROUP BY j."QueueName", s."LimitKey";
