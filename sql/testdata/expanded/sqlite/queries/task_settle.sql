UPDATE BotTasks SET
    SettledUntil = @until
WHERE Name = @task AND SettledUntil < @until;
