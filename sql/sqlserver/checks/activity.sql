-- activity: when workers last did something for the items of a page.
-- In:  after_id, last_id
-- Out: worker, the latest times at which an item was assigned to it, and at which it claimed, ended
--      and failed one.
SELECT i.WorkerId, MAX(i.AssignedAt), MAX(i.StartedAt), MAX(i.FinishedAt), CAST(NULL AS DATETIME2(3))
FROM BotWorkQueueItems i
WHERE i.Id > @after_id AND i.Id <= @last_id AND i.WorkerId IS NOT NULL
GROUP BY i.WorkerId
UNION ALL
SELECT a.WorkerId, CAST(NULL AS DATETIME2(3)), CAST(NULL AS DATETIME2(3)), CAST(NULL AS DATETIME2(3)), MAX(a.FinishedAt)
FROM BotWorkItemAttempts a
WHERE a.ItemId > @after_id AND a.ItemId <= @last_id AND a.WorkerId IS NOT NULL
GROUP BY a.WorkerId;
