DELETE FROM BotItemEscalations
WHERE RuleId = @rule AND ItemId IN (
    SELECT i.Id
    FROM BotWorkQueueItems i
    JOIN (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.NewVersion') AS NewVersion
          FROM jsonb_each(@rows)) j ON j.ItemId = i.Id
    WHERE i.Version = j.NewVersion);
