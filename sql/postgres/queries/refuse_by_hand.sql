-- refuse_by_hand: cancel items that were inserted by hand and that their queues refuse.
-- In:  rows [{ItemId, ItemFence, Reason, Kind}], now (NULL: the database clock)
-- Out: ids of the changed items.
-- CASE makes PostgreSQL find the rows by key, as in take.
UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "State" = 3,
    "Error" = j."Reason",
    "ErrorKind" = j."Kind",
    "FinishedAt" = {{now}},
    "LeaseExpiresAt" = NULL,
    "PoliciesApplied" = TRUE
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "Reason" text, "Kind" text)
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END
RETURNING t."Id";
