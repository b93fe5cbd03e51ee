-- seal: write the texts of encrypted items, after their ids were assigned.
-- In:  rows [{ItemId, Body, Meta}]
UPDATE BotWorkQueueItems SET
    Payload = j.Body,
    Metadata = j.Meta,
    LockKey = NULL
FROM (SELECT json_extract(value, '$.ItemId') AS ItemId, json_extract(value, '$.Body') AS Body,
        json_extract(value, '$.Meta') AS Meta
      FROM jsonb_each(@rows)) j
WHERE Id = j.ItemId AND Encrypted = 1;
