-- What each escalation rule of a queue or pipeline did last: when it was checked, since when its
-- condition is true (empty: it is not, or the rule has none), when it last acted and on how many
-- items.
SELECT r."Scope", r."OwnerName", r."RuleName", r."CheckedAt", r."ActiveSince", r."ActedAt", r."Items"
FROM "BotEscalations" r
ORDER BY CASE WHEN r."ActiveSince" IS NULL THEN 1 ELSE 0 END, r."ActedAt" DESC, r."Scope", r."OwnerName", r."RuleName";
