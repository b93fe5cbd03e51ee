-- tasks_left: set tasks inactive that a file had defined and this one does not. Those
-- that a hand has made have no definition.
-- In:  rows [{Task}]: what the file has, by, now (NULL: the database clock)
-- Out: the names of those that changed.
UPDATE BotTasks SET
    Active = 0,
    Definition = NULL,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = {{now}}
OUTPUT inserted.Name
WHERE Definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (Task NVARCHAR(MAX) '$.Task') j WHERE j.Task = BotTasks.Name);
