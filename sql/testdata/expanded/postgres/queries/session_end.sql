DELETE FROM "BotSessions"
WHERE "Id" = @id AND "IdleUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
