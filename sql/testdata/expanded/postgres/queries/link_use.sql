DELETE FROM "BotSignInLinks"
WHERE "Hash" = CAST(@hash AS varchar) AND "ExpiresAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND EXISTS (SELECT 1 FROM "BotUsers" u WHERE u."Id" = "BotSignInLinks"."UserId" AND u."DisabledAt" IS NULL)
RETURNING "UserId";
