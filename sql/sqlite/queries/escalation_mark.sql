-- escalation_mark: record which step of a rule has acted on items. An item with another version was not changed.
-- In:  rule, rows [{ItemId, NewVersion, NewStep}], now (NULL: the database clock)
INSERT INTO BotItemEscalations (ItemId, RuleId, Step, DueAt, ActedAt)
SELECT i.Id, @rule, j.NewStep, i.AvailableAt, {{now}}
FROM BotWorkQueueItems i
JOIN (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.NewVersion') AS NewVersion, json_extract(value, '$.NewStep') AS NewStep
      FROM jsonb_each(@rows)) j ON j.ItemId = i.Id
WHERE i.Version = j.NewVersion;
