SELECT t.Tier
FROM (
    SELECT 3 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 3 AND s.StartsAt < @before_3)
    UNION ALL
    SELECT 2 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 2 AND s.StartsAt < @before_2)
    UNION ALL
    SELECT 1 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 1 AND s.StartsAt < @before_1)
    UNION ALL
    SELECT 0 AS Tier WHERE EXISTS (SELECT 1 FROM BotQueueStats s WHERE s.Tier = 0 AND s.StartsAt < @before_0)
) t
ORDER BY t.Tier DESC;
