-- finish_plain: record the ends of runs that succeeded and tell nothing but their output. What
-- finish would write, at half of its cost: most columns and indexes are left alone, and
-- nothing is returned. Where it changes fewer rows than it was given, some had lost their
-- lease, and the transaction has to be rolled back.
-- In:  worker, instance, rows [[id, fence, failures, when the run began, hash of the pipeline's text or
--      null, output or null, kept for ms or null]], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
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
    LogTail = NULL,
    Error = NULL,
    ErrorKind = NULL,
    RetainUntil = CASE WHEN j.value ->> 6 IS NOT NULL THEN {{now_plus ms=(j.value ->> 6)}} END
FROM jsonb_each(@rows) j
WHERE BotWorkQueueItems.Id = j.value ->> 0 AND Fence = j.value ->> 1 AND State = 1
  AND WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance);
