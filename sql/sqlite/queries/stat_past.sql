-- stat_past: the tiers with rows that are old enough to be summed. It checks one row of each tier,
-- so it is cheap if there are none.
-- In:  before_0 to before_3: the times before which the rows of a tier move
-- Out: the tiers, the highest first, so that old rows move on however many new rows there are.
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
