UPDATE "BotWorkQueueItems" SET
    "Version" = "BotWorkQueueItems"."Version" + 1,
    "State" = CASE WHEN "State" IN (0, 4, 5) THEN 3 ELSE "State" END,
    "FinishedAt" = COALESCE("FinishedAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))),
    "LeaseExpiresAt" = NULL,
    "UniqueKey" = CASE WHEN EXISTS (SELECT 1 FROM "BotQueues" q
        WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."DeletedKeysCount") THEN "UniqueKey" END,
    "DeletedAt" = CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    "DeletedReason" = CAST(@reason AS text)
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int)
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" <> 1 AND "DeletedAt" IS NULL
  AND EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."Deletion" = 'logical')
  AND (CAST(@natural_key AS text) IS NULL OR "NaturalKey" = CAST(@natural_key AS text))
  AND (CAST(@author AS text) IS NULL OR "CreatedBy" = CAST(@author AS text)) THEN TRUE ELSE FALSE END;
