SELECT w."Id", w."Name", w."Capacity", w."StuckSlots", w."ReservedSlots", w."Labels", w."Channels", w."Queues", w."Overrides", COALESCE(w."AvailableSince", w."StartedAt")
FROM "BotWorkers" w
WHERE w."LastSeenAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@seen_ms AS bigint) * INTERVAL '1 millisecond'
  AND w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
ORDER BY w."Id";
