DELETE FROM BotItemEscalations
WHERE RuleId = @rule AND ItemId IN (
    SELECT i.Id
    FROM BotWorkQueueItems i
    JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', NewVersion BIGINT '$.NewVersion') j ON j.ItemId = i.Id
    WHERE i.Version = j.NewVersion);
