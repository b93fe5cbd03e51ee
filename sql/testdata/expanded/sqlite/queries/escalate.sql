UPDATE BotWorkQueueItems SET
    Version = Version + 1,
    Priority = j.NewPrio,
    TaskPriority = CASE WHEN TaskPriority = Priority THEN j.NewPrio ELSE TaskPriority END,
    Selectors = CASE WHEN j.SetsSelectors = 1 THEN j.SelectorText ELSE Selectors END,
    Expedite = CASE WHEN j.SetsSelectors = 1 THEN j.Expedited ELSE Expedite END
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.OldState') AS OldState, json_extract(value, '$.OldVersion') AS OldVersion, json_extract(value, '$.OldPrio') AS OldPrio, json_extract(value, '$.NewPrio') AS NewPrio, json_extract(value, '$.SetsSelectors') AS SetsSelectors, json_extract(value, '$.SelectorText') AS SelectorText, json_extract(value, '$.Expedited') AS Expedited
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Version = j.OldVersion AND State = j.OldState AND Priority = j.OldPrio
  AND (State IN (0, 4) OR State = 5 AND j.SetsSelectors = 0) AND DeletedAt IS NULL AND AvailableAt <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'));
