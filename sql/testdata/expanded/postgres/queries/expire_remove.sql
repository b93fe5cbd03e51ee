DELETE FROM "BotWorkQueueItems"
WHERE "Id" IN (SELECT j."ItemId" FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint))
  AND CASE WHEN "State" = 3 AND "ErrorKind" = 'expired' AND "DeletedAt" IS NULL
    AND EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = "BotWorkQueueItems"."QueueName" AND q."OnExpiry" = 'remove') THEN TRUE ELSE FALSE END
RETURNING "QueueName";
