-- escalation_mark: record which step of a rule has acted on items. An item with another version was not changed.
-- In:  rule, rows [{ItemId, NewVersion, NewStep}], now (NULL: the database clock)
INSERT INTO BotItemEscalations (ItemId, RuleId, Step, DueAt, ActedAt)
SELECT i.Id, @rule, j.NewStep, i.AvailableAt, {{now}}
FROM BotWorkQueueItems i
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', NewVersion BIGINT '$.NewVersion', NewStep INT '$.NewStep') j ON j.ItemId = i.Id
WHERE i.Version = j.NewVersion;
