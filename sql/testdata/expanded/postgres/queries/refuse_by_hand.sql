WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "Reason" text, "Kind" text)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" IN (0, 4) THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" AS t SET
    "Version" = t."Version" + 1,
    "State" = 3,
    "Error" = j."Reason",
    "ErrorKind" = j."Kind",
    "FinishedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "LeaseExpiresAt" = NULL,
    "PoliciesApplied" = TRUE
FROM j
WHERE t."Id" = j."ItemId" AND CASE WHEN t."Fence" = j."ItemFence" AND t."State" IN (0, 4) AND NOT t."PoliciesApplied" THEN TRUE ELSE FALSE END
RETURNING t."Id";
