UPDATE "BotEscalations" SET
    "ActedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Id" = @rule AND "ActiveSince" IS NOT NULL AND ("ActedAt" IS NULL OR "ActedAt" < "ActiveSince");
