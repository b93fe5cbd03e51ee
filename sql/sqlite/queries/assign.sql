-- assign: give waiting items to workers.
-- In:  rows [{ItemId, HolderId}], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.HolderId') AS HolderId
      FROM json_each(@rows)) j
WHERE Id = j.ItemId AND State IN (0, 4);
