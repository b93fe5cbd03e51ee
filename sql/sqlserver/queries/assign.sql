-- assign: give waiting items to workers.
-- In:  rows [{ItemId, HolderId}], now (NULL: the database clock)
UPDATE t SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', HolderId BIGINT '$.HolderId') j ON j.ItemId = t.Id
WHERE t.State IN (0, 4);
