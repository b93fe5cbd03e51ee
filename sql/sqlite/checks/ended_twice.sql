-- ended_twice: attempts that contradict each other or their item, for the items of a page. A claim
-- has one end: an attempt that did not succeed, or the success in the item itself. A success that
-- was set by hand leaves the error, or has no worker. Fence 0 is not a claim.
-- In:  after_id, last_id, limit_rows
-- Out: item, fence of the attempts, their number, the first and the last of their outcomes by name;
--      the item's id (NULL: it does not exist), state, fence.
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
