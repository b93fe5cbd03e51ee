INSERT INTO BotItemEscalations (ItemId, RuleId, Step, DueAt, ActedAt)
SELECT i.Id, @rule, j.NewStep, i.AvailableAt, COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now'))
FROM BotWorkQueueItems i
JOIN (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.NewVersion') AS NewVersion, json_extract(value, '$.NewStep') AS NewStep
      FROM jsonb_each(@rows)) j ON j.ItemId = i.Id
WHERE i.Version = j.NewVersion;
