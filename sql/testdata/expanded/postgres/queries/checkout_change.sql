UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "Metadata" = CASE WHEN CAST(@sets_metadata AS bigint) = 1 THEN CAST(@metadata AS text) ELSE "Metadata" END,
    "Tags" = CASE WHEN CAST(@sets_tags AS bigint) = 1 THEN CAST(@tags AS text) ELSE "Tags" END,
    "Priority" = COALESCE(CAST(@priority AS int), "Priority"),
    "NaturalKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@natural_key AS text) ELSE "NaturalKey" END,
    "UniqueKey" = CASE WHEN CAST(@sets_key AS bigint) = 1 THEN CAST(@unique_key AS text) ELSE "UniqueKey" END
WHERE "Id" = ANY (ARRAY(SELECT i."Id" FROM "BotWorkQueueItems" i WHERE i."Id" = @id FOR NO KEY UPDATE SKIP LOCKED)) AND "State" = 1 AND "WorkerId" IS NULL AND "Fence" = @fence
  AND "Robot" = CAST(@robot AS text) AND "LockKey" = CAST(@lock_key AS text) AND "LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND EXISTS (SELECT 1 FROM "BotQueues" q
      WHERE q."Name" = "BotWorkQueueItems"."QueueName"
        AND (q."PublicAccess" OR EXISTS (SELECT 1 FROM "BotQueueRobots" r
            WHERE r."QueueName" = q."Name" AND r."Robot" = CAST(@robot AS text) AND r."CanRead")))
RETURNING "Id";
