-- rescue: release items that no worker will run. Cancel an item as poison if it is released as
-- often as its queue allows (MaxReleases, else 5) because its runner died. Only runs that had
-- started count; otherwise BegunFence 0 makes the next worker record the start before it runs the
-- item.
-- In:  rows [{ItemId, ItemFence}], assigned_ms, now (NULL: the database clock)
-- Out: id, new state and BegunFence of the changed items: 0 for a run that was not counted.
WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "ItemFence" bigint)
    -- include: lock_rows condition=i."Fence" = r."ItemFence" AND i."State" IN (1, 5)
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 3 ELSE 0 END,
    "ReleaseCount" = "BotWorkQueueItems"."ReleaseCount" + CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" THEN 1 ELSE 0 END,
    "WorkerId" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN "BotWorkQueueItems"."WorkerId" END,
    "ErrorKind" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 'poison' ELSE "BotWorkQueueItems"."ErrorKind" END,
    "Error" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN 'poison: its lease ran out ' || CAST("BotWorkQueueItems"."ReleaseCount" + 1 AS text) || ' times: workers died or vanished with it, or robots were too late' ELSE "BotWorkQueueItems"."Error" END,
    "FinishedAt" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND "BotWorkQueueItems"."BegunFence" = "BotWorkQueueItems"."Fence" AND "BotWorkQueueItems"."ReleaseCount" + 1 >= COALESCE((SELECT q."MaxReleases" FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName"), 5) THEN {{now}} END,
    "BegunFence" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."BegunFence" IS NULL OR "BotWorkQueueItems"."BegunFence" <> "BotWorkQueueItems"."Fence") THEN 0 ELSE "BotWorkQueueItems"."BegunFence" END,
    "FirstStartedAt" = CASE WHEN "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."BegunFence" IS NULL OR "BotWorkQueueItems"."BegunFence" <> "BotWorkQueueItems"."Fence") AND "BotWorkQueueItems"."FirstStartedAt" >= "BotWorkQueueItems"."StartedAt" THEN NULL ELSE "BotWorkQueueItems"."FirstStartedAt" END,
    "AssignedAt" = NULL,
    "LeaseExpiresAt" = NULL
FROM j
WHERE "Id" = j."ItemId" AND "Fence" = j."ItemFence"
    AND (
        "BotWorkQueueItems"."State" = 1 AND ("BotWorkQueueItems"."LeaseExpiresAt" IS NULL OR "BotWorkQueueItems"."LeaseExpiresAt" < {{now}})
        OR "BotWorkQueueItems"."State" = 5 AND (
            "BotWorkQueueItems"."AssignedAt" IS NULL
            OR "BotWorkQueueItems"."AssignedAt" < {{now_minus ms=CAST(@assigned_ms AS bigint)}}
            OR NOT EXISTS (SELECT 1 FROM "BotWorkers" w
                WHERE w."Id" = "BotWorkQueueItems"."WorkerId" AND w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= {{now}}))))
RETURNING "Id", "State", "BegunFence";
