SELECT w."State", w."Overrides"
FROM "BotWorkers" w
WHERE w."Id" = @worker AND w."InstanceId" = @instance AND w."State" <> 'stopped';
