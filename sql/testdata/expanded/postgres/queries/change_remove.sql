DELETE FROM "BotWorkQueueItems"
USING json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "ItemFence" bigint, "OldState" int)
WHERE "Id" = j."ItemId" AND CASE WHEN "Fence" = j."ItemFence" AND "State" = j."OldState"
  AND "State" <> 1 AND "DeletedAt" IS NULL
  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."Deletion" = 'logical')
  AND (CAST(@natural_key AS text) IS NULL OR "NaturalKey" = CAST(@natural_key AS text))
  AND (CAST(@author AS text) IS NULL OR "CreatedBy" = CAST(@author AS text)) THEN TRUE ELSE FALSE END;
