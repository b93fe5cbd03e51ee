UPDATE "BotWorkQueueItems" SET
    "LeaseExpiresAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) + COALESCE(CAST(@lease_ms AS bigint), (SELECT q."CheckoutMs" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 600000) * INTERVAL '1 millisecond'
WHERE "Id" = ANY (ARRAY(SELECT i."Id" FROM "BotWorkQueueItems" i WHERE i."Id" = @id FOR NO KEY UPDATE SKIP LOCKED)) AND "State" = 1 AND "WorkerId" IS NULL AND "Fence" = @fence
  AND "Robot" = CAST(@robot AS text) AND "LockKey" = CAST(@lock_key AS text) AND "LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
            WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
RETURNING "LeaseExpiresAt";
