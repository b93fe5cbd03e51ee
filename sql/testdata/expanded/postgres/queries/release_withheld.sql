WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."State" = 5 THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "Scheduled" = "Scheduled" OR "AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "WorkerId" = NULL,
    "AssignedAt" = NULL,
    "LeaseExpiresAt" = NULL,
    "FinishedAt" = NULL
FROM j
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" = 5 AND ("AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    OR "DeletedAt" IS NOT NULL
    OR "QueueName" IN (SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots')) THEN TRUE ELSE FALSE END;
