-- refuse_by_hand: cancel items that were inserted by hand and that their queues refuse.
-- In:  rows [{ItemId, ItemFence, Reason, Kind}], now (NULL: the database clock)
-- Out: ids of the changed items.
UPDATE t SET
    Version = Version + 1,
    State = 3,
    Error = (SELECT MAX(j.Reason) FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Reason NVARCHAR(4000) '$.Reason') j WHERE j.ItemId = t.Id),
    ErrorKind = (SELECT MAX(j.Kind) FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Kind NVARCHAR(20) '$.Kind') j WHERE j.ItemId = t.Id),
    FinishedAt = {{now}},
    LeaseExpiresAt = NULL,
    PoliciesApplied = 1
OUTPUT inserted.Id
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE t.Id IN (SELECT k.ItemId FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId') k)
  AND EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence') j
              WHERE j.ItemId = t.Id AND j.ItemFence = t.Fence)
  AND State IN (0, 4) AND PoliciesApplied = 0;
