-- claim: lease up to limit_rows items that are assigned to the worker and raise their fence: the
-- expedited first, then the highest priority, then in the order of the pass that assigned them.
-- Items that may not start now stay assigned: they have expired, were deleted or postponed by hand
-- since they were assigned, or their queue is paused.
-- In:  worker, instance, min_priority, max_priority, limit_rows, begin_rows, work_ms, bytes (after the first begin_rows,
--      no more items are claimed once this much estimated work, or this much to read, is claimed), full_channels (a JSON list of
--      channels whose items are excluded), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all; the store sorts
--      them.
-- The signs + before the outer columns make SQLite find the rows by id: by the index of assigned
-- items, each claim would read all items that the worker holds. Times are read as texts, which the
-- driver does not parse.
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 1,
    Fence = MAX(Fence, COALESCE((SELECT e.Epoch FROM BotInstallation e) * 1000000000, 0)) + 1,
    StartedAt = {{now_once}},
    FirstStartedAt = COALESCE(FirstStartedAt, {{now_once}}),
    -- include: new_attempt
    LeaseExpiresAt = (SELECT {{now_plus ms=@lease_ms}})
WHERE +State = 5 AND +WorkerId = @worker AND Id IN (
    WITH startable AS NOT MATERIALIZED (
    SELECT c.Id, c.Priority, c.RunOrder, c.Expedite, COALESCE(c.AssignedEstimateMs, 0) AS WorkMs,
        COALESCE(octet_length(c.Payload), 0) + octet_length(c.IntegrationConfig) AS Bytes
    FROM BotWorkQueueItems c
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      -- include: may_start row=c.
      AND (@full_channels = '[]' OR c.Channel IS NULL OR c.Channel NOT IN (SELECT value FROM jsonb_each(@full_channels)))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = @instance AND w.State = 'active'))
    SELECT b.Id
    FROM (
    SELECT l.Id, ROW_NUMBER() OVER places AS Place, SUM(l.WorkMs) OVER places - l.WorkMs AS WorkBefore, SUM(l.Bytes) OVER places - l.Bytes AS BytesBefore
    FROM (
    SELECT expedited.Id, 0 AS Turn, expedited.Priority, expedited.RunOrder, expedited.WorkMs, expedited.Bytes
    FROM (
        SELECT c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 1 AND c.RunOrder < -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id
        LIMIT CAST(@limit_rows AS INTEGER)) expedited
    UNION ALL
    SELECT rest.Id, 1, rest.Priority, rest.RunOrder, rest.WorkMs, rest.Bytes
    FROM (
        SELECT c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 0 OR c.RunOrder >= -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id
        LIMIT CAST(@limit_rows AS INTEGER)) rest) l
    WINDOW places AS (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING)) b
    WHERE b.Place <= @limit_rows AND (b.Place <= @begin_rows OR b.WorkBefore <= @work_ms AND b.BytesBefore <= @bytes))
RETURNING
    {{claimed_columns row=}},
    {{claimed_too_large row=}};
