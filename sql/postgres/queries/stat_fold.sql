-- stat_fold: remove the oldest rows of a tier, which are then stored as sums. Two calls at the same
-- time never get the same row.
-- In:  tier, before, limit_rows
-- Out: the values of the removed rows.
DELETE FROM "BotQueueStats"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotQueueStats" s
    WHERE s."Tier" = @tier AND s."StartsAt" < CAST(@before AS timestamptz)
    ORDER BY s."StartsAt", s."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED))
RETURNING "QueueName", "Kind", "StartsAt", "Bucket", "Events", "Level", "DurationMs";
