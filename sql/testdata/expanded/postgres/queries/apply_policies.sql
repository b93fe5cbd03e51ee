WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "NewPriority" int, "NewKey" text, "LifeMs" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" IN (0, 4) THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "Priority" = j."NewPriority",
    "UniqueKey" = COALESCE(t."UniqueKey", j."NewKey"),
    "ExpiresAt" = COALESCE(t."ExpiresAt", t."CreatedAt" + j."LifeMs" * INTERVAL '1 millisecond'),
    "PoliciesApplied" = TRUE
FROM j
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END;
