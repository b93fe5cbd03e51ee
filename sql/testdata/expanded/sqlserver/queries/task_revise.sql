UPDATE t SET
    Version = t.Version + 1,
    Priority = j.NewPrio,
    TaskPriority = j.NewPrio
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', OldState INT '$.OldState', OldPrio INT '$.OldPrio', NewPrio INT '$.NewPrio') j ON j.ItemId = t.Id
WHERE t.State = j.OldState AND t.Priority = j.OldPrio
  AND t.State IN (0, 4) AND (t.TaskPriority IS NULL OR t.TaskPriority = t.Priority);
