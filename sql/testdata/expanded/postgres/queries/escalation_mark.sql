INSERT INTO "BotItemEscalations" ("ItemId", "RuleId", "Step", "DueAt", "ActedAt")
SELECT i."Id", CAST(@rule AS bigint), j."NewStep", i."AvailableAt", CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3))
FROM "BotWorkQueueItems" i
JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "NewVersion" bigint, "NewStep" int) ON j."ItemId" = i."Id"
WHERE i."Version" = j."NewVersion";
