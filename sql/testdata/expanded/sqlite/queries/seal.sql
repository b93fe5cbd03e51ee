UPDATE BotWorkQueueItems SET
    Payload = j.Body,
    Metadata = j.Meta,
    LockKey = NULL
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.Body') AS Body,
        json_extract(value, '$.Meta') AS Meta
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Encrypted = 1;
