-- escalation_new: the first turn of a rule. The unique key lets one process have it.
-- In:  scope, owner, rule_name, holds, conditional, now, as those of escalation_turn
-- Out: likewise; no row if the rule is known.
INSERT INTO "BotEscalations" ("Scope", "OwnerName", "RuleName", "CheckedAt", "ActiveSince")
SELECT CAST(@scope AS varchar), CAST(@owner AS varchar), CAST(@rule_name AS varchar), {{now}}, CASE WHEN CAST(@holds AS bigint) = 1 AND CAST(@conditional AS bigint) = 1 THEN {{now}} END
WHERE NOT EXISTS (SELECT 1 FROM "BotEscalations" e WHERE e."Scope" = CAST(@scope AS varchar) AND e."OwnerName" = CAST(@owner AS varchar) AND e."RuleName" = CAST(@rule_name AS varchar))
RETURNING "Id", "ActiveSince", "ActedAt", "CheckedAt";
