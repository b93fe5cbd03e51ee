UPDATE t SET
    Payload = j.Body,
    Metadata = j.Meta,
    LockKey = NULL
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Body NVARCHAR(MAX) '$.Body', Meta NVARCHAR(MAX) '$.Meta') j ON j.ItemId = t.Id
WHERE t.Encrypted = 1;
