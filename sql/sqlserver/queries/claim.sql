-- claim: lease up to limit_rows items that are assigned to the worker and raise their fence: the
-- expedited first, then the highest priority, then in the order of the pass that assigned them.
-- Items that may not start now stay assigned: they have expired, were deleted or postponed by hand
-- since they were assigned, or their queue is paused.
-- In:  worker, instance, min_priority, max_priority, limit_rows, begin_rows, work_ms, bytes (after the first begin_rows,
--      no more items are claimed once this much estimated work, or this much to read, is claimed), full_channels (a JSON list of
--      channels whose items are excluded), lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all; the store sorts
--      them.
-- With these hints claims do not wait for each other; the outer WHERE, which repeats state and
-- worker, makes a claim correct.
WITH startable AS (
    SELECT c.Id, c.Priority, c.RunOrder, c.Expedite, COALESCE(c.AssignedEstimateMs, 0) AS WorkMs,
        COALESCE(CAST(DATALENGTH(c.Payload) AS BIGINT), 0) + CAST(DATALENGTH(c.IntegrationConfig) AS BIGINT) AS Bytes
    FROM BotWorkQueueItems c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.State = 5 AND c.WorkerId = @worker AND c.Priority BETWEEN @min_priority AND @max_priority
      -- include: may_start row=c.
      AND (@full_channels = N'[]' OR c.Channel IS NULL OR c.Channel NOT IN (SELECT f.value FROM OPENJSON(@full_channels) f))
      AND EXISTS (SELECT 1 FROM BotWorkers w
          WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State = N'active'))
UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    StartedAt = {{now}},
    FirstStartedAt = COALESCE(t.FirstStartedAt, {{now}}),
    -- include: new_attempt
    LeaseExpiresAt = {{now_plus ms=@lease_ms}}
OUTPUT
    {{claimed_columns row=inserted.}},
    {{claimed_too_large row=inserted.}}
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.State = 5 AND t.WorkerId = @worker AND t.Id IN (
    SELECT b.Id
    FROM (
    SELECT l.Id, ROW_NUMBER() OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id) AS Place,
        SUM(l.WorkMs) OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING) - l.WorkMs AS WorkBefore,
        SUM(l.Bytes) OVER (ORDER BY l.Turn, l.Priority DESC, l.RunOrder, l.Id ROWS UNBOUNDED PRECEDING) - l.Bytes AS BytesBefore
    FROM (
    SELECT expedited.Id, 0 AS Turn, expedited.Priority, expedited.RunOrder, expedited.WorkMs, expedited.Bytes
    FROM (
        SELECT TOP (@limit_rows) c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 1 AND c.RunOrder < -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id) expedited
    UNION ALL
    SELECT rest.Id, 1, rest.Priority, rest.RunOrder, rest.WorkMs, rest.Bytes
    FROM (
        SELECT TOP (@limit_rows) c.Id, c.Priority, c.RunOrder, c.WorkMs, c.Bytes
        FROM startable c
        WHERE c.Expedite = 0 OR c.RunOrder >= -1000000000000000000
        ORDER BY c.Priority DESC, c.RunOrder, c.Id) rest) l) b
    WHERE b.Place <= @limit_rows AND (b.Place <= @begin_rows OR b.WorkBefore <= @work_ms AND b.BytesBefore <= @bytes));
