-- escalation_unmark: forget the steps of a rule on items, before escalation_mark writes the latest ones. An item that the
-- rule has not changed keeps its step: it has another version.
-- In:  rule, rows [{ItemId, NewVersion}]
DELETE FROM "BotItemEscalations"
WHERE "RuleId" = @rule AND "ItemId" = ANY(ARRAY(
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "NewVersion" bigint) ON j."ItemId" = i."Id"
    WHERE i."Version" = j."NewVersion"));
