WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint, "ByRobot" text, "ByKey" text)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + COALESCE(CAST(@lease_ms AS bigint), (SELECT q."CheckoutMs" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 600000) * INTERVAL '1 millisecond'
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "State" = 1 AND "WorkerId" IS NULL AND "Fence" = j."ItemFence"
    AND "Robot" = j."ByRobot" AND "LockKey" = j."ByKey" AND "LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
            WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(j."ByRobot" AS text) AND r."CanRead")))
RETURNING "Id", "Fence", "LeaseExpiresAt";
