UPDATE "BotWorkers" SET
    "DrainRequestedAt" = COALESCE("DrainRequestedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "State" = CASE WHEN "State" = 'active' THEN 'draining' ELSE "State" END
WHERE "Name" = @name AND ("DrainRequestedAt" IS NULL OR "State" = 'active');
