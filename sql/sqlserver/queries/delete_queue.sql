-- delete_queue: remove a queue and its robots. If it has items, their foreign key refuses it.
-- In:  name
DELETE FROM BotQueues WHERE Name = CAST(@name AS NVARCHAR(450)) AND Name <> N'default';
