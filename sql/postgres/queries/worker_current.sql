-- worker_current: a worker whose row another session may hold.
-- In:  worker, instance
-- Out: its state and what a person set for it; no row if the instance is not the current one.
SELECT w."State", w."Overrides"
FROM "BotWorkers" w
WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" <> 'stopped';
