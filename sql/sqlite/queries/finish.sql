-- finish: record the ends of runs.
-- A run of known duration started that long before its end, but not before the claim or its
-- recorded start: until then the item waited in the worker's memory.
-- In:  worker, instance (NULL: ends by robots), rows [{ItemId, ItemFence, ByRobot, ByKey (its lock key, a hash; NULL: a worker's),
--      NewState, Failures, DelayMs, NewOutput, ErrorText, Kind, NewStep, NewProgress, NewPercent, NewHash, NewTail, NewStepTimes,
--      NewAnalytics, KeepMs, Hidden, TookMs (NULL: unknown),
--      Unbegun (1: released before the run started), Alone (1: it runs alone from now on)}], now (NULL: the database clock)
-- Without DelayMs the item keeps AvailableAt; without NewOutput it keeps its output, until it
-- succeeds.
-- Out: ids and fences of the changed items, with the queue, when the run started and ended, the
--      pipeline and the priority; the others had lost their lease.
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = j.NewState,
    RetryCount = j.Failures,
    WorkerId = CASE WHEN j.NewState = 0 THEN NULL ELSE WorkerId END,
    AssignedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE AssignedAt END,
    AvailableAt = CASE WHEN j.NewState = 0 AND j.DelayMs IS NOT NULL THEN {{now_plus ms=j.DelayMs}} ELSE AvailableAt END,
    Scheduled = CASE WHEN j.NewState = 0 THEN CASE WHEN j.DelayMs > 0 THEN 1 ELSE 0 END ELSE Scheduled END,
    FinishedAt = CASE WHEN j.NewState = 0 THEN NULL ELSE {{now_once}} END,
    StartedAt = CASE WHEN j.Unbegun = 1 THEN NULL ELSE MAX(StartedAt, COALESCE(j.BeganAt, StartedAt)) END,
    FirstStartedAt = CASE WHEN FirstStartedAt < StartedAt THEN FirstStartedAt WHEN j.Unbegun = 1 THEN NULL ELSE MAX(StartedAt, COALESCE(j.BeganAt, StartedAt)) END,
    LeaseExpiresAt = NULL,
    LockKey = NULL,
    BatchKey = CASE WHEN j.Alone = 1 THEN NULL ELSE BatchKey END,
    Output = CASE WHEN j.NewState = 2 THEN j.NewOutput ELSE COALESCE(j.NewOutput, BotWorkQueueItems.Output) END,
    Analytics = COALESCE(j.NewAnalytics, BotWorkQueueItems.Analytics),
    Step = CASE WHEN j.NewState <> 2 THEN COALESCE(j.NewStep, BotWorkQueueItems.Step) END,
    Progress = COALESCE(j.NewProgress, BotWorkQueueItems.Progress),
    ProgressPercent = COALESCE(j.NewPercent, BotWorkQueueItems.ProgressPercent),
    PipelineHash = COALESCE(j.NewHash, BotWorkQueueItems.PipelineHash),
    LogTail = CASE WHEN j.NewState = 2 THEN j.NewTail ELSE COALESCE(j.NewTail, BotWorkQueueItems.LogTail) END,
    StepTimes = COALESCE(j.NewStepTimes, BotWorkQueueItems.StepTimes),
    Error = j.ErrorText,
    ErrorKind = j.Kind,
    RetainUntil = CASE WHEN j.KeepMs IS NOT NULL THEN {{now_plus ms=j.KeepMs}} END,
    UniqueKey = CASE WHEN j.Hidden = 1 AND NOT EXISTS (SELECT 1 FROM BotQueues q
        WHERE q.Name = BotWorkQueueItems.QueueName AND q.DeletedKeysCount = 1) THEN NULL ELSE BotWorkQueueItems.UniqueKey END,
    DeletedAt = CASE WHEN j.Hidden = 1 THEN {{now_once}} ELSE BotWorkQueueItems.DeletedAt END,
    DeletedReason = CASE WHEN j.Hidden = 1 THEN substr(j.ErrorText, 1, 1000) ELSE BotWorkQueueItems.DeletedReason END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.ItemFence') AS ItemFence,
        json_extract(value, '$.ByRobot') AS ByRobot, json_extract(value, '$.ByKey') AS ByKey,
        json_extract(value, '$.NewState') AS NewState, json_extract(value, '$.Failures') AS Failures,
        json_extract(value, '$.DelayMs') AS DelayMs, json_extract(value, '$.NewOutput') AS NewOutput,
        json_extract(value, '$.ErrorText') AS ErrorText, json_extract(value, '$.Kind') AS Kind,
        json_extract(value, '$.NewStep') AS NewStep, json_extract(value, '$.NewProgress') AS NewProgress,
        json_extract(value, '$.NewPercent') AS NewPercent, json_extract(value, '$.NewTail') AS NewTail,
        json_extract(value, '$.NewHash') AS NewHash, json_extract(value, '$.NewStepTimes') AS NewStepTimes,
        json_extract(value, '$.NewAnalytics') AS NewAnalytics, json_extract(value, '$.KeepMs') AS KeepMs,
        json_extract(value, '$.Hidden') AS Hidden, json_extract(value, '$.Unbegun') AS Unbegun, json_extract(value, '$.Alone') AS Alone,
        CASE WHEN json_extract(value, '$.TookMs') IS NOT NULL THEN {{now_minus ms=json_extract(value, '$.TookMs')}} END AS BeganAt
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Fence = j.ItemFence AND State = 1
  AND (WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
    OR WorkerId IS NULL AND Robot = j.ByRobot AND LockKey = j.ByKey)
RETURNING Id, Fence, QueueName, CAST(StartedAt AS TEXT), {{now_once}}, {{pipeline_of config=IntegrationConfig}}, Priority;
