SELECT t.Tier
FROM (
    SELECT 3 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 3 AND s.StartsAt < CAST(@before_3 AS DATETIME2(3)))
    UNION ALL
    SELECT 2 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 2 AND s.StartsAt < CAST(@before_2 AS DATETIME2(3)))
    UNION ALL
    SELECT 1 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 1 AND s.StartsAt < CAST(@before_1 AS DATETIME2(3)))
    UNION ALL
    SELECT 0 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 0 AND s.StartsAt < CAST(@before_0 AS DATETIME2(3)))
) t
ORDER BY t.Tier DESC;
