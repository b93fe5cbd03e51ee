INSERT INTO BotDeletedQueues (Name, DeletedBy, DeletedAt)
SELECT @name, @by, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE NOT EXISTS (SELECT 1 FROM BotDeletedQueues d WHERE d.Name = @name);
