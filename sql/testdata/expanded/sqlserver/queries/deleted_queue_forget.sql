DELETE FROM BotDeletedQueues WHERE Name = CAST(@name AS NVARCHAR(450));
