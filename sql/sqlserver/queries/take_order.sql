-- take_order: write the positions of claimed items in the order of their worker, in the transaction
-- of the statement take.
-- In:  worker, rows [{ItemId, ItemFence, RunOrder, EstimateMs, Channel}]
UPDATE t SET
    RunOrder = j.RunOrder,
    AssignedEstimateMs = j.EstimateMs,
    Channel = j.Channel
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', RunOrder BIGINT '$.RunOrder',
    EstimateMs BIGINT '$.EstimateMs', Channel NVARCHAR(200) '$.Channel') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.WorkerId = @worker AND t.Fence = j.ItemFence;
