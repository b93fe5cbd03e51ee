UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    State = 2,
    RetryCount = j.value ->> 2,
    FinishedAt = (SELECT COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))),
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
    RetainUntil = CASE WHEN j.value ->> 6 IS NOT NULL THEN strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', (j.value ->> 6) / 1000.0)) END
FROM jsonb_each(@rows) j
WHERE BotWorkQueueItems.Id = j.value ->> 0 AND Fence = j.value ->> 1 AND State = 1
  AND WorkerId = @worker AND EXISTS (SELECT 1 FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance);
