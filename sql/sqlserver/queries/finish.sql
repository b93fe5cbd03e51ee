-- finish: record the ends of runs.
-- In:  worker, rows [{ItemId, ItemFence, NewState, Failures, DelayMs, NewOutput, ErrorText, Kind}], now (NULL: the database clock)
-- Out: nothing; the number of changed rows must be that of finish_match. A
-- joined UPDATE cannot have an OUTPUT on every server that speaks T-SQL.
UPDATE t SET
    State = j.NewState,
    RetryCount = j.Failures,
    WorkerId = CASE WHEN j.NewState = 0 THEN NULL ELSE t.WorkerId END,
    AssignedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE t.AssignedAt END,
    AvailableAt = CASE WHEN j.NewState = 0 THEN DATEADD(millisecond, (j.DelayMs % 1000), DATEADD(second, (j.DelayMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) ELSE t.AvailableAt END,
    FinishedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    LeaseExpiresAt = NULL,
    Output = j.NewOutput,
    Error = j.ErrorText,
    ErrorKind = j.Kind
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', NewState INT '$.NewState', Failures INT '$.Failures',
    DelayMs BIGINT '$.DelayMs', NewOutput NVARCHAR(MAX) '$.NewOutput', ErrorText NVARCHAR(MAX) '$.ErrorText',
    Kind NVARCHAR(MAX) '$.Kind') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.WorkerId = @worker AND t.Fence = j.ItemFence;
