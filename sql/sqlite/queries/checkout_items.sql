-- checkout_items: items that robots name, and whether they hold them by their lock keys.
-- In:  rows [{ItemId, ItemFence, ByRobot, ByKey (a hash; NULL: none)}], each item once, now (NULL: the database clock)
-- Out: the rows that exist, whether each is due, whether its robot holds it, and the current time.
SELECT
    {{item_columns row=i.}},
    CASE WHEN i.AvailableAt <= {{now}} THEN 1 ELSE 0 END,
    CASE WHEN i.State = 1 AND i.WorkerId IS NULL AND i.Fence = j.ItemFence AND i.Robot = j.ByRobot
        AND i.LockKey = j.ByKey AND i.LeaseExpiresAt >= {{now}} THEN 1 ELSE 0 END,
    {{now}}
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.ByRobot') AS ByRobot, json_extract(value, '$.ByKey') AS ByKey
      FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON i.Id = j.ItemId;
