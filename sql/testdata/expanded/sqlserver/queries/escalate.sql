UPDATE t SET
    Version = t.Version + 1,
    Priority = j.NewPrio,
    TaskPriority = CASE WHEN t.TaskPriority = t.Priority THEN j.NewPrio ELSE t.TaskPriority END,
    Selectors = CASE WHEN j.SetsSelectors = 1 THEN j.SelectorText ELSE t.Selectors END,
    Expedite = CASE WHEN j.SetsSelectors = 1 THEN j.Expedited ELSE t.Expedite END
FROM BotWorkQueueItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', OldState INT '$.OldState', OldVersion BIGINT '$.OldVersion', OldPrio INT '$.OldPrio', NewPrio INT '$.NewPrio', SetsSelectors INT '$.SetsSelectors', SelectorText NVARCHAR(MAX) '$.SelectorText', Expedited INT '$.Expedited') j ON j.ItemId = t.Id
WHERE t.Version = j.OldVersion AND t.State = j.OldState AND t.Priority = j.OldPrio
  AND (t.State IN (0, 4) OR t.State = 5 AND j.SetsSelectors = 0) AND t.DeletedAt IS NULL AND t.AvailableAt <= COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)));
