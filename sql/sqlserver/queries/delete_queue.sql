-- delete_queue: remove a queue and its robots. The foreign key of its items refuses it.
-- In:  name
DELETE FROM BotQueues WHERE Name = CAST(@name AS NVARCHAR(450)) AND Name <> N'default';
