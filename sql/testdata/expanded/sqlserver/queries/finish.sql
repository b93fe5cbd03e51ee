UPDATE t SET
    Version = t.Version + 1,
    State = j.NewState,
    RetryCount = j.Failures,
    WorkerId = CASE WHEN j.NewState = 0 THEN NULL ELSE t.WorkerId END,
    AssignedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE t.AssignedAt END,
    AvailableAt = CASE WHEN j.NewState = 0 AND j.DelayMs IS NOT NULL THEN DATEADD(millisecond, (j.DelayMs % 1000), DATEADD(second, (j.DelayMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) ELSE t.AvailableAt END,
    Scheduled = CASE WHEN j.NewState = 0 THEN CASE WHEN j.DelayMs > 0 THEN 1 ELSE 0 END ELSE t.Scheduled END,
    FinishedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) END,
    StartedAt = CASE WHEN j.Unbegun = 1 THEN NULL WHEN DATEADD(millisecond, -(j.TookMs % 1000), DATEADD(second, -(j.TookMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) > t.StartedAt THEN DATEADD(millisecond, -(j.TookMs % 1000), DATEADD(second, -(j.TookMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) ELSE t.StartedAt END,
    FirstStartedAt = CASE WHEN t.FirstStartedAt < t.StartedAt THEN t.FirstStartedAt WHEN j.Unbegun = 1 THEN NULL WHEN DATEADD(millisecond, -(j.TookMs % 1000), DATEADD(second, -(j.TookMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) > t.StartedAt THEN DATEADD(millisecond, -(j.TookMs % 1000), DATEADD(second, -(j.TookMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) ELSE t.StartedAt END,
    LeaseExpiresAt = NULL,
    LockKey = NULL,
    BatchKey = CASE WHEN j.Alone = 1 THEN NULL ELSE t.BatchKey END,
    Output = CASE WHEN j.NewState = 2 THEN j.NewOutput ELSE COALESCE(j.NewOutput, t.Output) END,
    Analytics = COALESCE(j.NewAnalytics, t.Analytics),
    Step = CASE WHEN j.NewState <> 2 THEN COALESCE(j.NewStep, t.Step) END,
    Progress = COALESCE(j.NewProgress, t.Progress),
    ProgressPercent = COALESCE(j.NewPercent, t.ProgressPercent),
    PipelineHash = COALESCE(j.NewHash, t.PipelineHash),
    LogTail = CASE WHEN j.NewState = 2 THEN j.NewTail ELSE COALESCE(j.NewTail, t.LogTail) END,
    StepTimes = COALESCE(j.NewStepTimes, t.StepTimes),
    Error = j.ErrorText,
    ErrorKind = j.Kind,
    RetainUntil = DATEADD(millisecond, (j.KeepMs % 1000), DATEADD(second, (j.KeepMs / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))),
    UniqueKey = CASE WHEN j.Hidden = 1 AND NOT EXISTS (SELECT 1 FROM BotQueues q
        WHERE q.Name = t.QueueName AND q.DeletedKeysCount = 1) THEN NULL ELSE t.UniqueKey END,
    DeletedAt = CASE WHEN j.Hidden = 1 THEN COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))) ELSE t.DeletedAt END,
    DeletedReason = CASE WHEN j.Hidden = 1 THEN LEFT(j.ErrorText, 1000) ELSE t.DeletedReason END
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', ByRobot NVARCHAR(450) '$.ByRobot', ByKey NVARCHAR(450) '$.ByKey', NewState INT '$.NewState', Failures INT '$.Failures',
    DelayMs BIGINT '$.DelayMs', NewOutput NVARCHAR(MAX) '$.NewOutput', ErrorText NVARCHAR(MAX) '$.ErrorText',
    Kind NVARCHAR(20) '$.Kind', NewStep NVARCHAR(200) '$.NewStep', NewProgress NVARCHAR(1000) '$.NewProgress',
    NewPercent INT '$.NewPercent', NewHash NVARCHAR(64) '$.NewHash', NewTail NVARCHAR(MAX) '$.NewTail', NewStepTimes NVARCHAR(4000) '$.NewStepTimes', NewAnalytics NVARCHAR(MAX) '$.NewAnalytics',
    KeepMs BIGINT '$.KeepMs', Hidden INT '$.Hidden', TookMs BIGINT '$.TookMs', Unbegun INT '$.Unbegun', Alone INT '$.Alone') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.Fence = j.ItemFence
  AND (t.WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
    OR t.WorkerId IS NULL AND t.Robot = j.ByRobot AND t.LockKey = j.ByKey);
