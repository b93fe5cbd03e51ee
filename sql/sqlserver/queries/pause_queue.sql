-- pause_queue: pause a queue, or end that. A queue that is so already is not changed.
-- In:  name, paused, now (NULL: the database clock)
UPDATE BotQueues SET
    Paused = @paused,
    Revision = Revision + 1,
    UpdatedAt = {{now}}
WHERE Name = CAST(@name AS NVARCHAR(450)) AND Paused <> @paused;
