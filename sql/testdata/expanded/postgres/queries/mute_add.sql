INSERT INTO "BotNotificationMutes" ("KeyHash", "RuleName", "GroupName", "MutedUntil", "Reason", "MutedBy", "MutedAt")
VALUES (@key_hash, @rule, @grouping, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@for_ms AS bigint) * INTERVAL '1 millisecond', @reason, @by, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)));
