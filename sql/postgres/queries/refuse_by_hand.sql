-- refuse_by_hand: cancel items that were inserted by hand and that their queues refuse.
-- In:  rows [{ItemId, ItemFence, Reason, Kind}], now (NULL: the database clock)
-- Out: ids of the changed items.
-- CASE makes PostgreSQL find the rows by key, as in take.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "Reason" text, "Kind" text)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" IN (0, 4)
)
UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "State" = 3,
    "Error" = j."Reason",
    "ErrorKind" = j."Kind",
    "FinishedAt" = {{now}},
    "LeaseExpiresAt" = NULL,
    "PoliciesApplied" = TRUE
FROM j
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END
RETURNING t."Id";
