WITH j AS MATERIALIZED (
    SELECT r.* FROM json_to_recordset(CAST(@rows AS json)) AS r("ItemId" bigint, "HolderId" bigint, "FromId" bigint, "RunOrder" bigint, "EstimateMs" bigint, "Channel" text)
    CROSS JOIN LATERAL (SELECT 1 FROM "BotWorkQueueItems" i WHERE i."Id" = r."ItemId"
        AND CASE WHEN i."State" IN (0, 4, 5) THEN TRUE ELSE FALSE END FOR NO KEY UPDATE SKIP LOCKED) l
)
UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 5,
    "WorkerId" = j."HolderId",
    "AssignedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "RunOrder" = j."RunOrder",
    "AssignedEstimateMs" = j."EstimateMs",
    "Channel" = j."Channel"
FROM j
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" = 5 AND "WorkerId" = j."FromId"
    AND "AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    AND "DeletedAt" IS NULL
    AND ("DeadlineAt" IS NULL OR "DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND ("ExpiresAt" IS NULL OR "ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))
    AND "QueueName" <> ALL (ARRAY(SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots'))
    AND j."HolderId" IN (SELECT w."Id" FROM "BotWorkers" w
        WHERE w."State" = 'active' AND w."Gate" IS NULL AND (w."LeaseExpiresAt" IS NULL OR w."LeaseExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)))) THEN TRUE ELSE FALSE END;
