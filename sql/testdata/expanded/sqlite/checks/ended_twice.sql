SELECT a.ItemId, a.Fence, a.Ends, a.OneOutcome, a.OtherOutcome, i.Id, i.State, i.Fence
FROM (
    SELECT t.ItemId, t.Fence, COUNT(*) AS Ends, MIN(t.Outcome) AS OneOutcome, MAX(t.Outcome) AS OtherOutcome
    FROM BotWorkItemAttempts t
    WHERE t.ItemId > @after_id AND t.ItemId <= @last_id
    GROUP BY t.ItemId, t.Fence
) a
LEFT JOIN BotWorkQueueItems i ON i.Id = a.ItemId
WHERE i.Id IS NULL
    OR a.Fence > i.Fence
    OR a.Fence > 0 AND a.Ends > 1
    OR a.Fence > 0 AND a.Fence = i.Fence
        AND (i.State = 1 OR i.State = 2 AND i.Error IS NULL AND i.WorkerId IS NOT NULL)
ORDER BY a.ItemId, a.Fence
LIMIT @limit_rows;
