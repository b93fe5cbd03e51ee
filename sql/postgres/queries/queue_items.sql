-- queue_items: count the items of a queue, up to a limit.
-- In:  name, most
-- Out: one number
SELECT COUNT(*) FROM (SELECT "Id" FROM "BotWorkQueueItems" WHERE "QueueName" = @name LIMIT CAST(@most AS bigint)) i;
