-- task_settle: record that the windows of a task that closed before an instant need no further
-- check.
-- In:  task, until
UPDATE BotTasks SET
    SettledUntil = @until
WHERE Name = @task AND SettledUntil < @until;
