UPDATE "BotEscalations" SET
    "CheckedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "ActiveSince" = CASE WHEN CAST(@holds AS bigint) = 1 AND CAST(@conditional AS bigint) = 1 THEN COALESCE("ActiveSince", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))) END
WHERE "Scope" = @scope AND "OwnerName" = @owner AND "RuleName" = @rule_name AND "CheckedAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@turn_ms AS bigint) * INTERVAL '1 millisecond'
RETURNING "Id", "ActiveSince", "ActedAt", "CheckedAt";
