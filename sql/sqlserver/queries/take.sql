-- take: assign waiting items to a worker and lease them to it at once, like assign and then claim.
-- The plan may be older than a failure, a snooze or a pause: items that may not start now do not
-- change. The statement take_order follows in the same transaction: a joined UPDATE, which could
-- write everything, cannot have an OUTPUT on every server that supports T-SQL.
-- In:  worker, instance, rows [{ItemId}], lease_ms, now (NULL: the database clock)
-- Out: the claimed rows in any order, without columns that are the same for all; the store sorts
--      them, and knows what take_order writes.
UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    WorkerId = @worker,
    AssignedAt = {{now}},
    StartedAt = {{now}},
    FirstStartedAt = COALESCE(t.FirstStartedAt, {{now}}),
    -- include: new_attempt
    LeaseExpiresAt = {{now_plus ms=@lease_ms}}
OUTPUT
    {{claimed_columns row=inserted.}},
    {{claimed_too_large row=inserted.}}
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.State IN (0, 4)
  AND t.Id IN (SELECT j.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') j)
  -- include: may_start row=t.
  AND EXISTS (SELECT 1 FROM BotWorkers w
      WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State = N'active');
