WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" = 1 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "BegunFence" = "Fence",
    "StartedAt" = CASE WHEN "BegunFence" = "Fence" THEN "StartedAt" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "FirstStartedAt" = CASE WHEN "BegunFence" = "Fence" OR "FirstStartedAt" < "StartedAt" THEN "FirstStartedAt" ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END
FROM j
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = 1 AND "WorkerId" = @worker
    AND ("BegunFence" = "Fence"
      OR "LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) AND "DeletedAt" IS NULL
        AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
        AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
        AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."Paused")) THEN TRUE ELSE FALSE END
  AND EXISTS (SELECT 1 FROM "BotWorkers" w WHERE w."Id" = @worker AND w."InstanceId" = @instance)
RETURNING "Id", "Fence";
