-- assign: give waiting items to workers.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the
--      database clock)
UPDATE t SET
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', HolderId BIGINT '$.HolderId', FromId BIGINT '$.FromId', RunOrder BIGINT '$.RunOrder',
    EstimateMs BIGINT '$.EstimateMs', Channel NVARCHAR(200) '$.Channel') j ON j.ItemId = t.Id
WHERE t.State IN (0, 4);
