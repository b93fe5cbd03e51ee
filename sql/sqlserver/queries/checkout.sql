-- checkout: give up to limit_rows items of a queue to a robot, the most urgent first, with a new
-- fence and lock key. It gives none if the queue is paused or not for robots, or if the robot may
-- not read it.
-- In:  robot, queue, limit_rows, natural_key (NULL: any), ids [{ItemId}] (NULL: any), tags_any [{Piece}] (NULL: any),
--      tags_all [{Piece}], metadata [{Piece}] (JSON texts that must be present), tries_new, tries_once,
--      tries_again (1: take items that failed so often), full_keys [{Piece}] (limit keys to exclude; NULL: none),
--      limited (1: the caller has checked the queue's limits; 0: it must have none), lock_key (a hash),
--      lease_ms (NULL: the queue's), now (NULL: the database clock)
-- Out: the rows in any order; the store sorts them.
-- Two halves, items without a deadline and items with one, so that each uses its index. No fence is
-- below 0, but the indexes need the condition.
-- With these hints checkouts do not wait for each other, and one may find fewer items while another
-- is running. The outer WHERE, which repeats the state, makes a checkout correct.
UPDATE t SET
    Version = t.Version + 1,
    State = 1,
    Fence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    BegunFence = CASE WHEN t.Fence < (SELECT e.Epoch FROM BotInstallation e) * 1000000000 THEN (SELECT e.Epoch FROM BotInstallation e) * 1000000000 ELSE t.Fence END + 1,
    WorkerId = NULL,
    Robot = @robot,
    LockKey = @lock_key,
    AssignedAt = NULL,
    StartedAt = {{now}},
    FirstStartedAt = COALESCE(t.FirstStartedAt, {{now}}),
    -- include: new_attempt
    LeaseExpiresAt = {{now_plus ms=COALESCE(CAST(@lease_ms AS BIGINT), (SELECT q.CheckoutMs FROM BotQueues q WHERE q.Name = CAST(@queue AS NVARCHAR(450))), 600000)}}
OUTPUT
    {{item_columns row=inserted.}}
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.State IN (0, 4) AND t.Id IN (
    SELECT TOP (@limit_rows) h.Id
    FROM (
        -- include: checkout_half half=a; deadline=c.DeadlineAt IS NULL; order=c.Priority DESC, c.Id
        UNION ALL
        -- include: checkout_half half=b; deadline=c.DeadlineAt IS NOT NULL AND c.DeadlineAt >= {{now}}; order=c.Priority DESC, c.DeadlineAt, c.Id
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id);
