-- worker_current: a worker whose row another session may hold.
-- In:  worker, instance
-- Out: its state and what a person set for it; no row if the instance is not the current one. Unless the database has
--      read-committed snapshots, a row that another session holds cannot be read: error 1222, at once.
SELECT w.State, w.Overrides
FROM BotWorkers w WITH (NOWAIT)
WHERE w.Id = @worker AND w.InstanceId = CAST(@instance AS NVARCHAR(450)) AND w.State <> N'stopped';
