UPDATE BotTasks SET
    Active = 0,
    Definition = NULL,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
OUTPUT inserted.Name
WHERE Definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM OPENJSON(@rows) WITH (Task NVARCHAR(200) '$.Task') j WHERE j.Task = BotTasks.Name);
