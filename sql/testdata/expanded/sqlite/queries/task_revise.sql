UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Priority = j.NewPrio,
    TaskPriority = j.NewPrio
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.OldState') AS OldState, json_extract(value, '$.OldPrio') AS OldPrio, json_extract(value, '$.NewPrio') AS NewPrio
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND State = j.OldState AND Priority = j.OldPrio
  AND State IN (0, 4) AND (TaskPriority IS NULL OR TaskPriority = Priority);
