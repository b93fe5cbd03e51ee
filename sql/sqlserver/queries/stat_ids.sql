-- stat_ids: the range of item ids.
-- Out: the lowest and the highest; 0 when there is none.
SELECT COALESCE(MIN(i.Id), 0), COALESCE(MAX(i.Id), 0)
FROM BotWorkQueueItems i;
