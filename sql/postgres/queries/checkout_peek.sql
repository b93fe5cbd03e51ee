-- checkout_peek: the items that checkout would give, as they are.
-- In:  robot, queue, limit_rows, natural_key (NULL: any), ids [{ItemId}] (NULL: any), tags_any [{Piece}] (NULL: any),
--      tags_all [{Piece}], metadata [{Piece}] (pieces of JSON that must be there), tries_new, tries_once,
--      tries_again (1: take those that failed so often), full_keys [{Piece}] (limit keys to leave; NULL: none),
--      now (NULL: the database clock)
-- Out: the rows in no order; the store sorts them.
-- Two halves, those without a deadline and those with one, so that each uses its index;
-- no fence is below 0, but the indexes ask for it.
SELECT
    {{item_columns row=i.}}
FROM "BotWorkQueueItems" i
WHERE i."Id" = ANY (ARRAY(
    SELECT h."Id"
    FROM (
        -- include: checkout_peek_half half=a; deadline=c."DeadlineAt" IS NULL; order=c."Priority" DESC, c."Id"
        UNION ALL
        -- include: checkout_peek_half half=b; deadline=c."DeadlineAt" IS NOT NULL AND c."DeadlineAt" >= {{now}}; order=c."Priority" DESC, c."DeadlineAt", c."Id"
    ) h
    ORDER BY h."Priority" DESC, CASE WHEN h."DeadlineAt" IS NULL THEN 1 ELSE 0 END, h."DeadlineAt", h."Id"
    LIMIT @limit_rows));
