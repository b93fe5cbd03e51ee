SELECT s."Id", s."CreatedAt", s."SeenAt", s."IdleUntil", s."ExpiresAt", s."Address", s."UserAgent", s."SignedInBy"
FROM "BotSessions" s
WHERE s."UserId" = @user_id AND s."IdleUntil" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
ORDER BY s."Id";
