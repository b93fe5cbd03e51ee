-- seal: write the texts of encrypted items, after their ids were assigned.
-- In:  rows [{ItemId, Body, Meta}]
UPDATE t SET
    Payload = j.Body,
    Metadata = j.Meta,
    LockKey = NULL
FROM BotWorkQueueItems t
JOIN OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Body NVARCHAR(MAX) '$.Body', Meta NVARCHAR(MAX) '$.Meta') j ON j.ItemId = t.Id
WHERE t.Encrypted = 1;
