UPDATE "BotWorkers" SET
    "Beats" = "Beats" + 1,
    "StuckSlots" = @stuck,
    "Gate" = @gate,
    "AvailableSince" = CASE WHEN CAST(@ended_ms AS bigint) IS NULL THEN "AvailableSince" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@ended_ms AS bigint) * INTERVAL '1 millisecond' END,
    "LastSeenAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond'
WHERE "Id" = ANY (ARRAY(SELECT w."Id" FROM "BotWorkers" w WHERE w."Id" = @worker FOR NO KEY UPDATE SKIP LOCKED)) AND "InstanceId" = @instance AND "State" <> 'stopped'
RETURNING "State", "Beats", "Overrides";
