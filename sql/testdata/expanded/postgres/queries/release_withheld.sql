UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = 0,
    "Scheduled" = "Scheduled" OR "AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "WorkerId" = NULL,
    "AssignedAt" = NULL,
    "LeaseExpiresAt" = NULL,
    "FinishedAt" = NULL
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint)
WHERE "Id" = j."ItemId"
  AND CASE WHEN "State" = 5 AND ("AvailableAt" > CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
    OR "DeletedAt" IS NOT NULL
    OR "QueueName" IN (SELECT q."Name" FROM "BotQueues" q WHERE q."Paused" OR q."Consumer" = 'robots')) THEN TRUE ELSE FALSE END;
