-- steps_drop: remove the records of a running item.
-- In:  item, fence
-- The item is locked until the record is written, so that the lease cannot end in between. An item that another
-- session holds is passed over: see lock_rows.
WITH held AS MATERIALIZED (
    SELECT i."Id" FROM "BotWorkQueueItems" i
    WHERE i."Id" = CAST(@item AS bigint) AND i."Fence" = CAST(@fence AS bigint) AND i."State" = 1
    FOR NO KEY UPDATE SKIP LOCKED
)
DELETE FROM "BotWorkItemSteps" s
USING held h
WHERE s."ItemId" = h."Id";
