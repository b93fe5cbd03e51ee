-- Commands of the last seven days that changed or enqueued items in parts, and how much of each is
-- done: a command that was interrupted has fewer items than it was given. Items of one part are
-- written together or not at all.
SELECT b.BatchKey, b.Kind, COUNT(*) AS Parts, SUM(b.Items) AS Items, MIN(b.CreatedAt) AS FirstAt, MAX(b.CreatedAt) AS LatestAt
FROM BotBatches b
WHERE b.CreatedAt >= DATEADD(day, -7, SYSUTCDATETIME())
GROUP BY b.BatchKey, b.Kind
ORDER BY MAX(b.CreatedAt) DESC, b.BatchKey;
