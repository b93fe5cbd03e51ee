UPDATE BotWorkQueueItems SET
    BegunFence = Fence,
    Step = COALESCE(j.NewStep, BotWorkQueueItems.Step),
    Progress = COALESCE(j.NewProgress, BotWorkQueueItems.Progress),
    ProgressPercent = COALESCE(j.NewPercent, BotWorkQueueItems.ProgressPercent),
    PipelineHash = COALESCE(j.NewHash, BotWorkQueueItems.PipelineHash),
    LogTail = COALESCE(j.NewTail, BotWorkQueueItems.LogTail),
    StepTimes = COALESCE(j.NewStepTimes, BotWorkQueueItems.StepTimes),
    Output = COALESCE(j.NewOutput, BotWorkQueueItems.Output)
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.NewStep') AS NewStep, json_extract(value, '$.NewProgress') AS NewProgress,
        json_extract(value, '$.NewPercent') AS NewPercent, json_extract(value, '$.NewTail') AS NewTail,
        json_extract(value, '$.NewHash') AS NewHash, json_extract(value, '$.NewStepTimes') AS NewStepTimes,
        json_extract(value, '$.NewOutput') AS NewOutput
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = 1 AND WorkerId = @worker
  AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
RETURNING Id, Fence;
