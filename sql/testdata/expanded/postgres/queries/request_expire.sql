UPDATE "BotRunRequests" SET "State" = 'expired'
WHERE "Pipeline" = @pipeline AND "State" = 'pending' AND "ExpiresAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
