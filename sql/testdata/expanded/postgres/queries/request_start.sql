UPDATE "BotRunRequests" SET
    "State" = 'started',
    "WorkerId" = CAST(@worker AS bigint),
    "StartedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
WHERE "Id" = @request AND "State" = 'pending' AND "ExpiresAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
