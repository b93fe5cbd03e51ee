-- delete_queue: remove a queue and its robots. If it has items, their foreign key refuses it.
-- In:  name
DELETE FROM BotQueues WHERE Name = @name AND Name <> 'default';
