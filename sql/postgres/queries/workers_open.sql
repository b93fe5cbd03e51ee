-- workers_open: the workers that may take items.
-- In:  seen_ms, now (NULL: the database clock)
-- Out: id, name, capacity, stuck slots, reserved slots, labels, channels, queues, what a person set
--      instead of these, since when each has been available; sorted by id.
SELECT w."Id", w."Name", w."Capacity", w."StuckSlots", w."ReservedSlots", w."Labels", w."Channels", w."Queues", w."Overrides", COALESCE(w."AvailableSince", w."StartedAt")
FROM "BotWorkers" w
WHERE w."LastSeenAt" >= {{now_minus ms=CAST(@seen_ms AS bigint)}}
  AND w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= {{now}})
ORDER BY w."Id";
