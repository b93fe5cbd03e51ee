UPDATE t SET
    BegunFence = t.Fence,
    Step = COALESCE(j.NewStep, t.Step),
    Progress = COALESCE(j.NewProgress, t.Progress),
    ProgressPercent = COALESCE(j.NewPercent, t.ProgressPercent),
    PipelineHash = COALESCE(j.NewHash, t.PipelineHash),
    LogTail = COALESCE(j.NewTail, t.LogTail),
    StepTimes = COALESCE(j.NewStepTimes, t.StepTimes),
    Output = COALESCE(j.NewOutput, t.Output)
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', ItemFence BIGINT '$.ItemFence', NewStep NVARCHAR(200) '$.NewStep',
    NewProgress NVARCHAR(1000) '$.NewProgress', NewPercent INT '$.NewPercent', NewHash NVARCHAR(64) '$.NewHash', NewTail NVARCHAR(MAX) '$.NewTail', NewStepTimes NVARCHAR(4000) '$.NewStepTimes',
    NewOutput NVARCHAR(MAX) '$.NewOutput') j ON j.ItemId = t.Id
WHERE t.State = 1 AND t.WorkerId = @worker AND t.Fence = j.ItemFence
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)));
