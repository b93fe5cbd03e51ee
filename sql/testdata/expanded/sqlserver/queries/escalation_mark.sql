INSERT INTO BotItemEscalations (ItemId, RuleId, Step, DueAt, ActedAt)
SELECT i.Id, @rule, j.NewStep, i.AvailableAt, COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))
FROM BotWorkQueueItems i
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', NewVersion BIGINT '$.NewVersion', NewStep INT '$.NewStep') j ON j.ItemId = i.Id
WHERE i.Version = j.NewVersion;
