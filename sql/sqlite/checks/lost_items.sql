-- lost_items: items that a worker or a robot holds and that no pass has released. In parts, so that
-- each uses its index. A lease is NULL if its worker restarted as a new instance: then it counts as
-- ended since the worker's start.
-- In:  after_id, limit_rows, stale (earlier: too long ago), far (later: too far in the future)
-- Out: item, state, its lease, when it was assigned; worker's id, name, state, when it was last
--      seen. No name: no such worker. A robot has the id 0, and its name.
SELECT h.Id, h.State, h.LeaseExpiresAt, h.AssignedAt, h.WorkerId, h.Name, h.WorkerState, h.LastSeenAt
FROM (
    SELECT i.Id, i.State, i.LeaseExpiresAt, i.AssignedAt, i.WorkerId, w.Name, w.State AS WorkerState, w.LastSeenAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 1 AND i.Id > @after_id AND i.WorkerId IS NOT NULL AND (
        w.Id IS NULL
        OR i.LeaseExpiresAt < @stale OR i.LeaseExpiresAt > @far
        OR i.LeaseExpiresAt IS NULL AND i.StartedAt < @stale AND w.StartedAt < @stale
        OR w.State = 'stopped' AND w.LastSeenAt < @stale)
    UNION ALL
    SELECT i.Id, i.State, i.LeaseExpiresAt, i.AssignedAt, i.WorkerId, w.Name, w.State AS WorkerState, w.LastSeenAt
    FROM BotWorkQueueItems i
    LEFT JOIN BotWorkers w ON w.Id = i.WorkerId
    WHERE i.State = 5 AND i.Id > @after_id AND i.WorkerId IS NOT NULL AND (
        w.Id IS NULL
        OR i.AssignedAt < @stale AND w.LastSeenAt < @stale
            AND (w.State <> 'active' OR w.LeaseExpiresAt < @stale))
    UNION ALL
    SELECT i.Id, i.State, i.LeaseExpiresAt, i.AssignedAt, 0, i.Robot, 'robot', i.StartedAt
    FROM BotWorkQueueItems i
    WHERE i.State = 1 AND i.Id > @after_id AND i.WorkerId IS NULL AND i.Robot IS NOT NULL AND (
        i.LeaseExpiresAt < @stale OR i.LeaseExpiresAt > @far
        OR i.LeaseExpiresAt IS NULL AND i.StartedAt < @stale)
) h
ORDER BY h.Id
LIMIT @limit_rows;
