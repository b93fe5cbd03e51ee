-- escalation_turn: let one process of the cluster apply a rule, and record whether its condition holds.
-- In:  scope, owner, rule_name, holds (1: the condition holds, or the rule has none), conditional (1: the rule has one),
--      turn_ms (how long ago the last turn was at least), now (NULL: the database clock)
-- Out: the number of the rule, since when its condition holds (NULL: it does not, or there is none), when the rule last
--      acted (NULL: never), and now; no row if another process had the turn, or the rule is new.
UPDATE BotEscalations SET
    CheckedAt = {{now}},
    ActiveSince = CASE WHEN @holds = 1 AND @conditional = 1 THEN COALESCE(ActiveSince, {{now}}) END
OUTPUT inserted.Id, inserted.ActiveSince, inserted.ActedAt, inserted.CheckedAt
WHERE Scope = CAST(@scope AS NVARCHAR(450)) AND OwnerName = CAST(@owner AS NVARCHAR(450)) AND RuleName = CAST(@rule_name AS NVARCHAR(450)) AND CheckedAt <= {{now_minus ms=@turn_ms}};
