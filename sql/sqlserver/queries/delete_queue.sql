-- delete_queue: remove a queue and its robots. If it has items, their foreign key refuses it.
-- For the foreign key SQL Server reads the key of each item, since no index without a filter begins with QueueName: each
-- insert would pay for one, and queues are rarely deleted.
-- In:  name
DELETE FROM BotQueues WHERE Name = CAST(@name AS NVARCHAR(450)) AND Name <> N'default';
