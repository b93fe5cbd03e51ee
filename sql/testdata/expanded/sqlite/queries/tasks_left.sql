UPDATE BotTasks SET
    Active = 0,
    Definition = NULL,
    Revision = Revision + 1,
    DefinedBy = @by,
    UpdatedAt = COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
WHERE Definition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM (SELECT json_extract(value, '$.Task') AS Task
      FROM jsonb_each(@rows)) j WHERE j.Task = BotTasks.Name)
RETURNING Name;
