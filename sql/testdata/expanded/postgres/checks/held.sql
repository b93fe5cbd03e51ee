SELECT h."WorkerId", MAX(h."Priority"), COUNT(*)
FROM (
    SELECT i."WorkerId", i."Priority" FROM "BotWorkQueueItems" i WHERE i."State" = 5 AND i."WorkerId" IS NOT NULL
    UNION ALL
    SELECT i."WorkerId", i."Priority" FROM "BotWorkQueueItems" i WHERE i."State" = 1 AND i."WorkerId" IS NOT NULL
) h
GROUP BY h."WorkerId";
