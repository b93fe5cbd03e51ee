-- apply_policies: apply the policies of their queues to items that were inserted by hand. If another
-- item has the unique key, the index refuses the batch.
-- In:  rows [{ItemId, ItemFence, NewPriority, NewKey, LifeMs}] (LifeMs: how long they may wait; NULL: no bound)
-- CASE makes PostgreSQL find the rows by key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "NewPriority" int, "NewKey" text, "LifeMs" bigint)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" IN (0, 4)
)
UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "Priority" = j."NewPriority",
    "UniqueKey" = COALESCE(t."UniqueKey", j."NewKey"),
    "ExpiresAt" = COALESCE(t."ExpiresAt", t."CreatedAt" + j."LifeMs" * INTERVAL '1 millisecond'),
    "PoliciesApplied" = TRUE
FROM j
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END;
