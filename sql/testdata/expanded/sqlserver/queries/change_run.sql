UPDATE t SET
    Version = t.Version + 1,
    State = CASE WHEN t.State = 4 THEN 4 ELSE 0 END,
    AvailableAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))),
    Scheduled = 0,
    WorkerId = NULL,
    LeaseExpiresAt = NULL,
    AssignedAt = NULL,
    FinishedAt = NULL,
    RetainUntil = NULL,
    UniqueKey = CASE WHEN j.TakesKey = 1 THEN j.NewKey ELSE t.UniqueKey END,
    DeadlineAt = COALESCE(CASE WHEN t.DeadlineAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN t.DeadlineAt END, CASE WHEN t.FinishBy >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN t.FinishBy END),
    FinishBy = CASE WHEN t.FinishBy >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN t.FinishBy END,
    ExpiresAt = CASE WHEN t.ExpiresAt >= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) THEN t.ExpiresAt END
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', OldState INT '$.OldState', Hidden INT '$.Hidden',
    TakesKey INT '$.TakesKey', NewKey NVARCHAR(64) '$.NewKey') j ON j.ItemId = t.Id
WHERE t.Fence = j.ItemFence AND t.State = j.OldState
  AND t.State IN (0, 2, 3, 4) AND t.DeletedAt IS NULL;
