-- request_workers: whether an active worker is alive.
-- In:  now (NULL: the database clock)
-- Out: 1 or 0.
SELECT CASE WHEN EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."State" = 'active' AND w."LeaseExpiresAt" >= {{now}}) THEN 1 ELSE 0 END;
