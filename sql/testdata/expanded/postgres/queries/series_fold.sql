DELETE FROM "BotStatisticsDeltas"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotStatisticsDeltas" s
    ORDER BY s."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED))
RETURNING "At", "QueueName", "Pipeline", "Band", "WorkerId", "Event", "Kind", "Bucket", "Events", "DurationMs";
