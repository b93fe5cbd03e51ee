WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."Fence" = r."ItemFence" AND i."State" IN (1, 5) THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 3 ELSE 0 END,
    "ReleaseCount" = "BotWorkQueueItems"."ReleaseCount" + CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" THEN 1 ELSE 0 END,
    "WorkerId" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN "BotWorkQueueItems"."WorkerId" END,
    "ErrorKind" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 'poison' ELSE "BotWorkQueueItems"."ErrorKind" END,
    "Error" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 'poison: its lease ran out ' || CAST("BotWorkQueueItems"."ReleaseCount" + 1 AS text) || ' times: workers died or vanished with it, or robots were too late' ELSE "BotWorkQueueItems"."Error" END,
    "FinishedAt" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END,
    "BegunFence" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."BegunFence" IS NULL OR "BotWorkQueueItems"."BegunFence" <> "BotWorkQueueItems"."Fence") THEN 0 ELSE "BotWorkQueueItems"."BegunFence" END,
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."BegunFence" IS NULL OR "BotWorkQueueItems"."BegunFence" <> "BotWorkQueueItems"."Fence") AND "BotWorkQueueItems"."FirstStartedAt" >= "BotWorkQueueItems"."StartedAt" THEN NULL ELSE "BotWorkQueueItems"."FirstStartedAt" END,
    "AssignedAt" = NULL,
    "LeaseExpiresAt" = NULL
FROM j
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence"
    AND (
        "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."LeaseExpiresAt" IS NULL OR "BotWorkQueueItems"."LeaseExpiresAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
        OR "BotWorkQueueItems"."State" = 5 AND (
            "BotWorkQueueItems"."AssignedAt" IS NULL
            OR "BotWorkQueueItems"."AssignedAt" < CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) - CAST(@assigned_ms AS bigint) * INTERVAL '1 millisecond'
            OR NOT EXISTS (SELECT 1 FROM "BotWorkers" w
                WHERE w."Id" = "BotWorkQueueItems"."WorkerId" AND w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))))))
RETURNING "Id", "State", "BegunFence";
