-- history: what shows whether the database has lost its latest transactions.
-- In:  worker, instance
-- Out: the epoch; the recorded timeline (NULL: none); the latest id that an item was given (NULL:
--      unknown); the number of heartbeats of the worker (NULL: it does not exist)
SELECT e.Epoch, e.Timeline, CAST(IDENT_CURRENT(N'BotWorkQueueItems') AS BIGINT),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
FROM BotInstallation e;
