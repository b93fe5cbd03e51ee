-- notifications: when the rules of notifications were last evaluated.
-- Out: for how many milliseconds not (NULL: never), since how many milliseconds the oldest live worker runs (0: none).
SELECT CAST(EXTRACT(EPOCH FROM statement_timestamp() - s."EvaluatedAt") * 1000 AS bigint),
    COALESCE((SELECT MAX(CAST(EXTRACT(EPOCH FROM statement_timestamp() - w."StartedAt") * 1000 AS bigint)) FROM "BotWorkers" w
        WHERE w."State" = 'active' AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= statement_timestamp())), 0)
FROM "BotNotificationState" s
WHERE s."Id" = 1;
