DELETE FROM "BotItemEscalations"
WHERE "RuleId" = @rule AND "ItemId" = ANY(ARRAY(
    SELECT i."Id"
    FROM "BotWorkQueueItems" i
    JOIN json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "NewVersion" bigint) ON j."ItemId" = i."Id"
    WHERE i."Version" = j."NewVersion"));
