-- pause_queue: pause a queue, or end that. A queue that is so already is not changed.
-- In:  name, paused, now (NULL: the database clock)
UPDATE "BotQueues" SET
    "Paused" = CAST(@paused AS boolean),
    "Revision" = "Revision" + 1,
    "UpdatedAt" = {{now}}
WHERE "Name" = @name AND "Paused" <> CAST(@paused AS boolean);
