UPDATE t SET
    Version = t.Version + 1,
    Priority = j.NewPriority,
    UniqueKey = COALESCE(t.UniqueKey, j.NewKey),
    ExpiresAt = COALESCE(t.ExpiresAt, DATEADD(millisecond, j.LifeMs % 1000, DATEADD(second, j.LifeMs / 1000, t.CreatedAt))),
    PoliciesApplied = 1
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', NewPriority INT '$.NewPriority', NewKey NVARCHAR(64) '$.NewKey',
    LifeMs BIGINT '$.LifeMs') j ON j.ItemId = t.Id
WHERE t.Fence = j.ItemFence AND t.State IN (0, 4) AND t.PoliciesApplied = 0;
