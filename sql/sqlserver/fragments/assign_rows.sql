-- assign_rows: the beginning of assign and of reassign: what they set, and the batch that it comes
-- from.
-- In:  rows [{ItemId, HolderId, FromId, RunOrder, EstimateMs, Channel}], now (NULL: the database clock)
UPDATE t SET
    Version = t.Version + 1,
    State = 5,
    WorkerId = j.HolderId,
    AssignedAt = {{now}},
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', HolderId BIGINT '$.HolderId', FromId BIGINT '$.FromId', RunOrder BIGINT '$.RunOrder',
    EstimateMs BIGINT '$.EstimateMs', Channel NVARCHAR(200) '$.Channel') j ON j.ItemId = t.Id
