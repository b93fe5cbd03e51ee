-- tasks_left: deactivate tasks that a file had defined and no longer defines. Tasks that were
-- inserted by hand have no definition.
-- In:  rows [{Task}]: the tasks of the file, by, now (NULL: the database clock)
-- Out: the names of the changed tasks.
UPDATE BotTasks SET
    Active = 0,
    Definition = NULL,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = {{now}}
OUTPUT inserted.Name
WHERE Definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (Task NVARCHAR(200) '$.Task') j WHERE j.Task = BotTasks.Name);
