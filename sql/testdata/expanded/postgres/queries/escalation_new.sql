INSERT INTO "BotEscalations" ("Scope", "OwnerName", "RuleName", "CheckedAt", "ActiveSince")
SELECT CAST(@scope AS varchar), CAST(@owner AS varchar), CAST(@rule_name AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CASE WHEN CAST(@holds AS bigint) = 1 AND CAST(@conditional AS bigint) = 1 THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END
WHERE NOT EXISTS (SELECT 1 FROM "BotEscalations" e WHERE e."Scope" = CAST(@scope AS varchar) AND e."OwnerName" = CAST(@owner AS varchar) AND e."RuleName" = CAST(@rule_name AS varchar))
RETURNING "Id", "ActiveSince", "ActedAt", "CheckedAt";
