SELECT e.Scope, e.OwnerName, e.RuleName, e.ActiveSince, e.ActedAt, e.Items, COALESCE(m.Step, 0), e.Id
FROM BotEscalations e
LEFT JOIN (
    SELECT s.RuleId, s.Step
    FROM BotItemEscalations s
    JOIN BotWorkQueueItems i ON i.Id = s.ItemId AND i.AvailableAt = s.DueAt
    WHERE s.ItemId = @item
) m ON m.RuleId = e.Id
ORDER BY e.Scope, e.OwnerName, e.RuleName;
