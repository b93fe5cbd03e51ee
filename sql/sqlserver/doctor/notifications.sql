-- notifications: when the rules of notifications were last evaluated.
-- Out: for how many milliseconds not (NULL: never), since how many milliseconds the oldest live worker runs (0: none).
SELECT CAST(DATEDIFF(second, s.EvaluatedAt, SYSUTCDATETIME()) AS BIGINT) * 1000,
    COALESCE((SELECT MAX(CAST(DATEDIFF(second, w.StartedAt, SYSUTCDATETIME()) AS BIGINT)) FROM BotWorkers w
        WHERE w.State = N'active' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= SYSUTCDATETIME())), 0) * 1000
FROM BotNotificationState s
WHERE s.Id = 1;
