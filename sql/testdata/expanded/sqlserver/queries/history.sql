SELECT e.Epoch, e.Timeline, CAST(IDENT_CURRENT(N'BotWorkQueueItems') AS BIGINT),
    (SELECT w.Beats FROM BotWorkers w WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)))
FROM BotInstallation e;
