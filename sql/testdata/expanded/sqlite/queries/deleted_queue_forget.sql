DELETE FROM BotDeletedQueues WHERE Name = @name;
