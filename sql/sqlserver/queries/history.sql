-- history: what tells whether the database has lost its latest transactions.
-- In:  worker, instance
-- Out: the epoch; the recorded timeline (NULL: none); the latest id that an item was given (NULL: not known);
--      the heartbeats of the worker (NULL: it is not there)
SELECT e.Epoch, e.Timeline, CAST(IDENT_CURRENT(N'BotWorkQueueItems') AS BIGINT),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
FROM BotInstallation e;
