DELETE FROM BotQueues WHERE Name = CAST(@name AS NVARCHAR(450)) AND Name <> N'default';
