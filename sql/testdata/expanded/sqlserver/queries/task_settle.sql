UPDATE BotTasks SET
    SettledUntil = CAST(@until AS DATETIME2(3))
WHERE Name = CAST(@task AS NVARCHAR(450)) AND SettledUntil < CAST(@until AS DATETIME2(3));
