DELETE FROM "BotStatistics"
WHERE "Id" = ANY(ARRAY(
    SELECT s."Id" FROM "BotStatistics" s
    WHERE s."Resolution" = @resolution AND s."StartsAt" < CAST(@before AS timestamptz)
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
