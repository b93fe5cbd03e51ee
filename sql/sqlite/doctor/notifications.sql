-- notifications: when the rules of notifications were last evaluated.
-- Out: for how many milliseconds not (NULL: never), since how many milliseconds the oldest live worker runs (0: none).
SELECT CAST((julianday('now') - julianday(s.EvaluatedAt)) * 86400000 AS INTEGER),
    COALESCE((SELECT MAX(CAST((julianday('now') - julianday(w.StartedAt)) * 86400000 AS INTEGER)) FROM BotWorkers w
        WHERE w.State = 'active' AND (w.LeaseExpiresAt IS NULL OR w.LeaseExpiresAt >= strftime('%Y-%m-%d %H:%M:%f', 'now'))), 0)
FROM BotNotificationState s
WHERE s.Id = 1;
