-- task_settle: record that the windows of a task that closed before an instant need no further
-- check.
-- In:  task, until
UPDATE BotTasks SET
    SettledUntil = CAST(@until AS DATETIME2(3))
WHERE Name = CAST(@task AS NVARCHAR(450)) AND SettledUntil < CAST(@until AS DATETIME2(3));
