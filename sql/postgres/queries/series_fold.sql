-- series_fold: remove the oldest rows that transactions have inserted; their sums are added to those of
-- their periods in the same transaction. Two calls at the same time never get the same row.
-- In:  limit_rows
-- Out: the values of the removed rows.
DELETE FROM "BotStatisticsDeltas"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotStatisticsDeltas" s
    ORDER BY s."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED))
RETURNING "At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Kind", "Bucket", "Events", "DurationMs";
