-- deleted_queue_add: record that a command deleted a queue that settings define.
-- In:  name, by, now (NULL: the database clock)
INSERT INTO BotDeletedQueues (Name, DeletedBy, DeletedAt)
SELECT @name, @by, {{now}}
WHERE NOT EXISTS (SELECT 1 FROM BotDeletedQueues d WHERE d.Name = @name);
