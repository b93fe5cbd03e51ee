DELETE FROM "BotQueues" WHERE "Name" = @name AND "Name" <> 'default';
