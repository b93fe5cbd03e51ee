-- escalation_still: those of the items that are still in the state in which escalation_due found them, and on which no
-- later step of the rule has acted. Their rows are locked. An assignment changes the state and not the version.
-- In:  rule, rows [{ItemId, OldState, OldVersion, NewStep}], now (NULL: the database clock)
-- Out: ids
SELECT i.Id
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', OldState INT '$.OldState', OldVersion BIGINT '$.OldVersion', NewStep INT '$.NewStep') j ON j.ItemId = i.Id
WHERE i.Version = j.OldVersion AND i.State = j.OldState AND i.State IN (0, 4, 5) AND i.DeletedAt IS NULL AND i.AvailableAt <= {{now}}
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Paused = 1)
  AND NOT EXISTS (SELECT 1 FROM BotItemEscalations m WHERE m.ItemId = i.Id AND m.RuleId = @rule AND m.DueAt = i.AvailableAt AND m.Step >= j.NewStep)
ORDER BY i.Id;
