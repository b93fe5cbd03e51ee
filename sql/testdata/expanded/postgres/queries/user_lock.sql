UPDATE "BotUsers" SET "LockedUntil" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lock_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "Id" = @id;
