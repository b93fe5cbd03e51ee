SELECT MAX(p.Id), COUNT(*), COALESCE(SUM(CASE WHEN p.RetryCount >= 1 THEN 1 ELSE 0 END), 0),
    COALESCE(SUM(CASE WHEN p.State IN (0, 4) THEN 1 ELSE 0 END), 0)
FROM (
    SELECT i.Id, i.State, i.RetryCount
    FROM BotWorkQueueItems i
    WHERE i.Id > @after_id
    ORDER BY i.Id
    LIMIT @limit_rows
) p;
