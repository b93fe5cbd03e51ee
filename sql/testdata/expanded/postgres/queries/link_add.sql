INSERT INTO "BotSignInLinks" ("UserId", "Hash", "CreatedAt", "ExpiresAt")
SELECT u."Id", CAST(@hash AS varchar), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)), CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@valid_ms AS bigint) * INTERVAL '1 millisecond'
FROM "BotUsers" u
WHERE u."Id" = @user_id AND u."DisabledAt" IS NULL;
