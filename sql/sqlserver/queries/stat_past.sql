-- stat_past: in which tiers rows have come into the past, to be kept as sums. It
-- looks at one row of each, so whoever finds nothing has nearly done nothing.
-- In:  before_0 to before_3: up to when the rows of a tier move
-- Out: the tiers, the highest first: however much comes in below, what is old moves on.
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
