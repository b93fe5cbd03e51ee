SELECT w.State, w.Overrides
FROM BotWorkers w WITH (NOWAIT)
WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State <> N'stopped';
