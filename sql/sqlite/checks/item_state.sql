-- item_state: items of a page whose columns contradict their state. A waiting item may keep the
-- worker and the times of its last run: setting State to 0 by hand leaves them. But it must not
-- have an active lease.
-- In:  after_id, last_id, limit_rows, now
-- Out: id, queue, whether the queue exists, state, worker, fence, counts, times.
SELECT i.Id, i.QueueName, CASE WHEN q.Name IS NULL THEN 0 ELSE 1 END, i.State, i.WorkerId, i.Fence,
    i.RetryCount, i.ReleaseCount, i.LeaseExpiresAt, i.AssignedAt, i.StartedAt, i.FinishedAt
FROM BotWorkQueueItems i
LEFT JOIN BotQueues q ON q.Name = i.QueueName
WHERE i.Id > @after_id AND i.Id <= @last_id AND (
    i.State NOT IN (0, 1, 2, 3, 4, 5)
    OR i.State IN (0, 4) AND i.LeaseExpiresAt > @now
    OR i.State = 1 AND (i.WorkerId IS NULL AND i.Robot IS NULL OR i.StartedAt IS NULL OR i.Fence < 1)
    OR i.State = 5 AND (i.WorkerId IS NULL OR i.AssignedAt IS NULL)
    OR i.State IN (2, 3) AND (i.LeaseExpiresAt IS NOT NULL OR i.FinishedAt IS NULL)
    OR i.RetryCount < 0 OR i.ReleaseCount < 0 OR i.Fence < 0
    OR q.Name IS NULL)
ORDER BY i.Id
LIMIT @limit_rows;
