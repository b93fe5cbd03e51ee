-- Items that are to run together, by batch: how many wait, are assigned and run. A run starts with
-- BatchMax due items, or BatchWaitMs after the latest became due, or BatchAtMostMs after the first.
-- Items with different limit keys or selectors run apart, although they are one row here.
SELECT i.QueueName, i.Pipeline, i.BatchKey,
    SUM(CASE WHEN i.State IN (0, 4) THEN 1 ELSE 0 END) AS Waiting,
    SUM(CASE WHEN i.State = 5 THEN 1 ELSE 0 END) AS Assigned,
    SUM(CASE WHEN i.State = 1 THEN 1 ELSE 0 END) AS Running,
    MIN(CASE WHEN i.State IN (0, 4) THEN i.AvailableAt END) AS FirstDue,
    MAX(CASE WHEN i.State IN (0, 4) THEN i.AvailableAt END) AS LatestDue,
    MIN(i.BatchMax) AS BatchMax, MIN(i.BatchWaitMs) AS BatchWaitMs, MIN(i.BatchAtMostMs) AS BatchAtMostMs, MIN(i.Id) AS FirstItem
FROM BotWorkQueueItemsView i
WHERE i.BatchKey IS NOT NULL AND i.State IN (0, 1, 4, 5) AND i.DeletedAt IS NULL
GROUP BY i.QueueName, i.Pipeline, i.BatchKey
ORDER BY MIN(i.AvailableAt), MIN(i.Id);
