-- task_settle: the windows of a task that closed up to an instant need no other look.
-- In:  task, until
UPDATE BotTasks SET
    SettledUntil = @until
WHERE Name = @task AND SettledUntil < @until;
