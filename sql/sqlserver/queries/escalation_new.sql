-- escalation_new: the first turn of a rule. The unique key lets one process have it.
-- In:  scope, owner, rule_name, holds, conditional, now, as those of escalation_turn
-- Out: likewise; no row if the rule is known.
INSERT INTO BotEscalations (Scope, OwnerName, RuleName, CheckedAt, ActiveSince)
OUTPUT inserted.Id, inserted.ActiveSince, inserted.ActedAt, inserted.CheckedAt
SELECT CAST(@scope AS NVARCHAR(450)), CAST(@owner AS NVARCHAR(450)), CAST(@rule_name AS NVARCHAR(450)), {{now}}, CASE WHEN @holds = 1 AND @conditional = 1 THEN {{now}} END
WHERE NOT EXISTS (SELECT 1 FROM BotEscalations e WHERE e.Scope = CAST(@scope AS NVARCHAR(450)) AND e.OwnerName = CAST(@owner AS NVARCHAR(450)) AND e.RuleName = CAST(@rule_name AS NVARCHAR(450)));
