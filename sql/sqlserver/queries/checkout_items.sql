-- checkout_items: items that robots name, and whether they hold them by their lock keys.
-- In:  rows [{ItemId, ItemFence, ByRobot, ByKey (a hash; NULL: none)}], each item once, now (NULL: the database clock)
-- Out: the rows that exist, whether each is due, whether its robot holds it, and the current time.
SELECT
    {{item_columns row=i.}},
    CASE WHEN i.AvailableAt <= {{now}} THEN 1 ELSE 0 END,
    CASE WHEN i.State = 1 AND i.WorkerId IS NULL AND i.Fence = j.ItemFence AND i.Robot = j.ByRobot
        AND i.LockKey = j.ByKey AND i.LeaseExpiresAt >= {{now}} THEN 1 ELSE 0 END,
    {{now}}
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey') j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId;
