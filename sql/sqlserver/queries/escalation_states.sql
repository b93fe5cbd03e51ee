-- escalation_states: what each rule did last, and its latest step on an item.
-- In:  item (0: none)
-- Out: scope, owner, rule, since when its condition holds (NULL: it does not, or there is none), when it last acted
--      (NULL: never), on how many items in all, the step (0: none), and the number of
--      the rule, in the order of scope, owner and rule.
SELECT e.Scope, e.OwnerName, e.RuleName, e.ActiveSince, e.ActedAt, e.Items, COALESCE(m.Step, 0), e.Id
FROM BotEscalations e
LEFT JOIN (
    SELECT s.RuleId, s.Step
    FROM BotItemEscalations s
    JOIN BotWorkQueueItems i ON i.Id = s.ItemId AND i.AvailableAt = s.DueAt
    WHERE s.ItemId = @item
) m ON m.RuleId = e.Id
ORDER BY e.Scope, e.OwnerName, e.RuleName;
