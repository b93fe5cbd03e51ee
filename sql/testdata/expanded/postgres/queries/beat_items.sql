WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + CAST(@lease_ms AS bigint) * INTERVAL '1 millisecond',
    "BegunFence" = CASE WHEN ("Id", "Fence") IN (SELECT b."ItemId", b."ItemFence" FROM json_to_recordset(CAST(@begun AS json)) AS b("ItemId" bigint, "ItemFence" bigint))
        THEN "Fence" ELSE "BegunFence" END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker THEN TRUE ELSE FALSE END
RETURNING "Id", "Fence";
