-- worker_loads: the workers that may take items, with what each holds at or
-- above a priority. Two halves, so that each uses its index. An estimate counts
-- from 0 to ten years: a hand may have written anything, and a sum that overflows
-- would fail every pass.
-- In:  seen_ms, min_priority, default_ms, now (NULL: the database clock)
-- Out: id, name, capacity but for stuck slots, items held, milliseconds held; by id.
SELECT w."Id", w."Name", w."Capacity" - w."StuckSlots", COUNT(h."WorkerId"), COALESCE(SUM(h."Ms"), 0)
FROM "BotWorkers" w
LEFT JOIN (
    SELECT i."WorkerId",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN CAST(@default_ms AS bigint) WHEN i."EstimatedDurationMs" < 0 THEN 0
             WHEN i."EstimatedDurationMs" > 315360000000 THEN 315360000000 ELSE i."EstimatedDurationMs" END AS "Ms"
    FROM "BotWorkQueueItems" i WHERE i."State" = 5 AND i."Priority" >= @min_priority
    UNION ALL
    SELECT i."WorkerId",
        CASE WHEN i."EstimatedDurationMs" IS NULL THEN CAST(@default_ms AS bigint) WHEN i."EstimatedDurationMs" < 0 THEN 0
             WHEN i."EstimatedDurationMs" > 315360000000 THEN 315360000000 ELSE i."EstimatedDurationMs" END AS "Ms"
    FROM "BotWorkQueueItems" i WHERE i."State" = 1 AND i."Priority" >= @min_priority
) h ON h."WorkerId" = w."Id"
WHERE w."LastSeenAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@seen_ms AS bigint) * INTERVAL '1 millisecond'
  AND w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
GROUP BY w."Id", w."Name", w."Capacity", w."StuckSlots"
ORDER BY w."Id";
