SELECT COALESCE(MIN(i.Id), 0), COALESCE(MAX(i.Id), 0)
FROM BotWorkQueueItems i;
