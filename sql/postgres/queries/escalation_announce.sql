-- escalation_announce: record that a rule reports its condition, unless it has reported it since it became true.
-- In:  rule, now (NULL: the database clock)
UPDATE "BotEscalations" SET
    "ActedAt" = {{now}}
WHERE "Id" = @rule AND "ActiveSince" IS NOT NULL AND ("ActedAt" IS NULL OR "ActedAt" < "ActiveSince");
