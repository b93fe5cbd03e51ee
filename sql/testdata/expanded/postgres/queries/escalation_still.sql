SELECT i."Id"
FROM "BotWorkQueueItems" i
JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "OldState" int, "OldVersion" bigint, "NewStep" int) ON j."ItemId" = i."Id"
WHERE i."Version" = j."OldVersion" AND i."State" = j."OldState" AND i."State" IN (0, 4, 5) AND i."DeletedAt" IS NULL AND i."AvailableAt" <= CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
  AND NOT EXISTS (SELECT 1 FROM "BotQueues" q WHERE q."Name" = i."QueueName" AND q."Paused")
  AND NOT EXISTS (SELECT 1 FROM "BotItemEscalations" m WHERE m."ItemId" = i."Id" AND m."RuleId" = CAST(@rule AS bigint) AND m."DueAt" = i."AvailableAt" AND m."Step" >= j."NewStep")
ORDER BY i."Id";
