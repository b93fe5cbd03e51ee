-- gauge_expire: remove the samples of periods that are no longer kept.
-- The kinds are named for the index.
-- In:  resolution, before, limit_rows
DELETE FROM "BotStatisticsGauges"
WHERE ctid = ANY(ARRAY(
    SELECT s.ctid FROM "BotStatisticsGauges" s
    WHERE s."Resolution" = @resolution AND s."Kind" IN ('', 'pipeline', 'worker', 'slots') AND s."StartsAt" < CAST(@before AS timestamptz)
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
