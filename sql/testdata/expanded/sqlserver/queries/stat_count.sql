SELECT c.QueueName, c.State, c.Hidden, COUNT_BIG(*)
FROM (
    SELECT i.QueueName, i.State, CASE WHEN i.DeletedAt IS NULL THEN 0 ELSE 1 END AS Hidden
    FROM BotWorkQueueItems i
    WHERE i.Id > @after_id AND i.Id <= @upto_id AND (i.State IN (2, 3) OR i.DeletedAt IS NOT NULL)
) c
GROUP BY c.QueueName, c.State, c.Hidden;
