SELECT e.Epoch, e.Timeline, COALESCE((SELECT q.seq FROM sqlite_sequence q WHERE q.name = 'BotWorkQueueItems'), 0),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
FROM BotInstallation e;
