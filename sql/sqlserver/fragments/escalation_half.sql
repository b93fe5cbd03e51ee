-- escalation_half: waiting items on which the next step of a rule is due. state and scope are what WHERE takes.
-- In:  rule, after_ms, every_ms (0: the rule has one step), since (since when the condition of the rule holds; NULL: it
--      has none), cap (only items with a lower priority; NULL: all), selective (1: only items with selectors),
--      now (NULL: the database clock)
-- Parameters: state, scope
SELECT i.Id, i.State, i.Version, i.Priority, i.Selectors, i.AvailableAt, COALESCE(m.Step, 0) AS Step
FROM BotWorkQueueItems i WITH (READPAST, READCOMMITTEDLOCK)
LEFT JOIN BotItemEscalations m ON m.ItemId = i.Id AND m.RuleId = @rule AND m.DueAt = i.AvailableAt
WHERE {{state}} AND {{scope}} AND i.DeletedAt IS NULL
  AND i.AvailableAt <= {{now_minus ms=@after_ms}}
  AND (m.Step IS NULL OR @every_ms > 0 AND i.AvailableAt <= {{now_minus ms=(@after_ms + @every_ms * m.Step)}})
  AND (m.Step IS NULL OR @since IS NULL OR CAST(@since AS DATETIME2(3)) <= {{now_minus ms=(@every_ms * m.Step)}})
  AND (@cap IS NULL OR i.Priority < @cap)
  AND (@selective = 0 OR i.Selectors IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM BotQueues q WHERE q.Name = i.QueueName AND q.Paused = 1)
