-- by_hand: items that were inserted by hand as assigned, so that no pass has applied the policies of
-- their queues; and unfinished items that do not have the unique key that their queue requires,
-- although another item has the same natural key. Items that are older than the queue's definition
-- may lack it.
-- In:  before (inserted earlier), limit_rows
-- Out: id, queue, natural key, when it was created, the item with the same key; 0 for none.
SELECT h."Id", h."QueueName", h."NaturalKey", h."CreatedAt", h."OtherId"
FROM (
    SELECT i."Id", i."QueueName", i."NaturalKey", i."CreatedAt", 0 AS "OtherId"
    FROM "BotWorkQueueItems" i
    WHERE i."State" = 5 AND NOT i."PoliciesApplied" AND i."Fence" = 0 AND i."DeletedAt" IS NULL AND i."CreatedAt" < CAST(@before AS timestamptz)
    UNION ALL
    SELECT i."Id", i."QueueName", i."NaturalKey", i."CreatedAt", (SELECT MIN(o."Id") FROM "BotWorkQueueItems" o WHERE o."NaturalKey" = i."NaturalKey" AND o."QueueName" = i."QueueName" AND o."Id" <> i."Id" AND o."DeletedAt" IS NULL) AS "OtherId"
    FROM "BotWorkQueueItems" i
    JOIN "BotQueues" q ON q."Name" = i."QueueName" AND q."KeyScope" <> 'none' AND (q."UpdatedAt" IS NULL OR i."CreatedAt" > q."UpdatedAt")
    WHERE i."State" IN (0, 1, 4, 5) AND i."NaturalKey" IS NOT NULL AND i."UniqueKey" IS NULL AND i."DeletedAt" IS NULL AND i."CreatedAt" < CAST(@before AS timestamptz)
) h
WHERE h."OtherId" IS NOT NULL
ORDER BY h."Id", h."OtherId"
LIMIT @limit_rows;
