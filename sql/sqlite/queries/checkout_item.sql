-- checkout_item: one item, and whether a robot holds it by a lock key.
-- In:  id, robot, fence, lock_key (a hash; NULL: none), now (NULL: the database clock)
-- Out: the row, whether it is due, whether the robot holds it, and the current time.
SELECT
    {{item_columns row=i.}},
    CASE WHEN i.AvailableAt <= {{now}} THEN 1 ELSE 0 END,
    CASE WHEN i.State = 1 AND i.WorkerId IS NULL AND i.Fence = @fence AND i.Robot = @robot
        AND i.LockKey = @lock_key AND i.LeaseExpiresAt >= {{now}} THEN 1 ELSE 0 END,
    {{now}}
FROM BotWorkQueueItems i
WHERE i.Id = @id;
