DELETE FROM "BotSessions"
WHERE "UserId" = @user_id AND "IdleUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3));
