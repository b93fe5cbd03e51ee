-- escalation_new: the first turn of a rule. The unique key lets one process have it.
-- In:  scope, owner, rule_name, holds, conditional, now, as those of escalation_turn
-- Out: likewise; no row if the rule is known.
INSERT INTO BotEscalations (Scope, OwnerName, RuleName, CheckedAt, ActiveSince)
SELECT @scope, @owner, @rule_name, {{now}}, CASE WHEN @holds = 1 AND @conditional = 1 THEN {{now}} END
WHERE NOT EXISTS (SELECT 1 FROM BotEscalations e WHERE e.Scope = @scope AND e.OwnerName = @owner AND e.RuleName = @rule_name)
RETURNING Id, CAST(ActiveSince AS TEXT), CAST(ActedAt AS TEXT), CAST(CheckedAt AS TEXT);
