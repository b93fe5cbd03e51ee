-- queue_items: how many items a queue has, up to a bound.
-- In:  name, most
-- Out: one number
SELECT COUNT(*) FROM (SELECT "Id" FROM "BotWorkQueueItems" WHERE "QueueName" = @name LIMIT CAST(@most AS bigint)) i;
