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
WHERE Definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Task') AS Task
      FROM jsonb_each(@rows)) j WHERE j.Task = BotTasks.Name)
RETURNING Name;
