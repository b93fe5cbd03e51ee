-- item_page: the next items by id, up to limit_rows: the page that the checks examine.
-- In:  after_id, limit_rows
-- Out: one row: the last id (NULL: no item is left), items, those that failed
--      before, those that wait.
SELECT MAX(p.Id), COUNT(*), COALESCE(SUM(CASE WHEN p.RetryCount >= 1 THEN 1 ELSE 0 END), 0),
    COALESCE(SUM(CASE WHEN p.State IN (0, 4) THEN 1 ELSE 0 END), 0)
FROM (
    SELECT i.Id, i.State, i.RetryCount
    FROM BotWorkQueueItems i
    WHERE i.Id > @after_id
    ORDER BY i.Id
    LIMIT @limit_rows
) p;
