-- finish_plain: record the ends of runs that succeeded and set only their output and log. It has the effect
-- of finish at half of the cost: most columns and indexes do not change, and nothing is returned.
-- If it changes fewer rows than there are in the batch, some had lost their lease, and the
-- transaction must be rolled back.
-- In:  worker, instance, rows [[id, fence, failures, start of the run, hash of the pipeline's text or
--      null, output or null, retention in ms or null, times of the steps or null, kept log (left out: none)]], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 2,
    RetryCount = j.value ->> 2,
    FinishedAt = {{now_once}},
    StartedAt = MAX(StartedAt, j.value ->> 3),
    FirstStartedAt = CASE WHEN FirstStartedAt < StartedAt THEN FirstStartedAt ELSE MAX(StartedAt, j.value ->> 3) END,
    LeaseExpiresAt = NULL,
    LockKey = NULL,
    Output = j.value ->> 5,
    Step = NULL,
    PipelineHash = COALESCE(j.value ->> 4, PipelineHash),
    LogTail = j.value ->> 8,
    StepTimes = COALESCE(j.value ->> 7, StepTimes),
    Error = NULL,
    ErrorKind = NULL,
    RetainUntil = CASE WHEN j.value ->> 6 IS NOT NULL THEN {{now_plus ms=(j.value ->> 6)}} END
FROM jsonb_each(@rows) j
WHERE BotWorkQueueItems.Id = j.value ->> 0 AND Fence = j.value ->> 1 AND State = 1
  AND WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance);
