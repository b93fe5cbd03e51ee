-- history: what shows whether the database has lost its latest transactions.
-- In:  worker, instance
-- Out: the epoch; the recorded timeline (NULL: none); the latest id that an item was given (0:
--      none); the number of heartbeats of the worker (NULL: it does not exist)
SELECT e.Epoch, e.Timeline, COALESCE((SELECT q.seq FROM sqlite_sequence q WHERE q.name = 'BotWorkQueueItems'), 0),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
FROM BotInstallation e;
