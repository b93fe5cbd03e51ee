-- deleted_queue_forget: forget that a queue was deleted, because it exists again.
-- In:  name
DELETE FROM "BotDeletedQueues" WHERE "Name" = @name;
