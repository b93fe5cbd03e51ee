UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = CASE WHEN "State" = 4 THEN 4 ELSE 0 END,
    "AvailableAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "Scheduled" = FALSE,
    "WorkerId" = NULL,
    "LeaseExpiresAt" = NULL,
    "AssignedAt" = NULL,
    "FinishedAt" = NULL,
    "RetainUntil" = NULL,
    "UniqueKey" = CASE WHEN j."TakesKey" = 1 THEN j."NewKey" ELSE "UniqueKey" END,
    "DeadlineAt" = COALESCE(CASE WHEN "DeadlineAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN "DeadlineAt" END, CASE WHEN "FinishBy" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN "FinishBy" END),
    "FinishBy" = CASE WHEN "FinishBy" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN "FinishBy" END,
    "ExpiresAt" = CASE WHEN "ExpiresAt" >= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) THEN "ExpiresAt" END
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int, "Hidden" int, "TakesKey" int, "NewKey" text)
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" IN (0, 2, 3, 4) AND "DeletedAt" IS NULL THEN TRUE ELSE FALSE END;
