-- pause_queue: pause or resume a queue. A queue that is already in that state does not change.
-- In:  name, paused, now (NULL: the database clock)
UPDATE BotQueues SET
    Paused = @paused,
    Revision = Revision + 1,
    UpdatedAt = {{now}}
WHERE Name = @name AND Paused <> @paused;
