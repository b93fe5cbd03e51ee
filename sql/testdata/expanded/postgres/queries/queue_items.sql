SELECT COUNT(*) FROM (SELECT "Id" FROM "BotWorkQueueItems" WHERE "QueueName" = @name LIMIT CAST(@most AS bigint)) i;
