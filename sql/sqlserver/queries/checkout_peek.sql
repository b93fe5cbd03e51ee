-- checkout_peek: the items that checkout would give, unchanged.
-- In:  robot, queue, limit_rows, natural_key (NULL: any), ids [{ItemId}] (NULL: any), tags_any [{Piece}] (NULL: any),
--      tags_all [{Piece}], metadata [{Piece}] (JSON texts that must be present), tries_new, tries_once,
--      tries_again (1: take items that failed so often), full_keys [{Piece}] (limit keys to exclude; NULL: none),
--      now (NULL: the database clock)
-- Out: the rows in any order; the store sorts them.
-- Two halves, items without a deadline and items with one, so that each uses its index. No fence is
-- below 0, but the indexes need the condition.
SELECT
    {{item_columns row=i.}}
FROM BotWorkQueueItems i
WHERE i.Id IN (
    SELECT TOP (@limit_rows) h.Id
    FROM (
        -- include: checkout_peek_half half=a; deadline=c.DeadlineAt IS NULL; order=c.Priority DESC, c.Id
        UNION ALL
        -- include: checkout_peek_half half=b; deadline=c.DeadlineAt IS NOT NULL AND c.DeadlineAt >= {{now}}; order=c.Priority DESC, c.DeadlineAt, c.Id
    ) h
    ORDER BY h.Priority DESC, CASE WHEN h.DeadlineAt IS NULL THEN 1 ELSE 0 END, h.DeadlineAt, h.Id);
