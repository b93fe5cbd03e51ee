SELECT e.Epoch, e.Timeline, (SELECT q.seq FROM sqlite_sequence q WHERE q.name = 'BotWorkQueueItems'),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = @instance)
FROM BotInstallation e;
