-- escalation_mark: record which step of a rule has acted on items. An item with another version was not changed.
-- In:  rule, rows [{ItemId, NewVersion, NewStep}], now (NULL: the database clock)
INSERT INTO "BotItemEscalations" ("ItemId", "RuleId", "Step", "DueAt", "ActedAt")
SELECT i."Id", CAST(@rule AS bigint), j."NewStep", i."AvailableAt", {{now}}
FROM "BotWorkQueueItems" i
JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "NewVersion" bigint, "NewStep" int) ON j."ItemId" = i."Id"
WHERE i."Version" = j."NewVersion";
