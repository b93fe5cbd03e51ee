-- key_holders: the items that have the keys.
-- In:  rows [{Kind, Hash}], now (NULL: the database clock)
-- Out: kind, hash and id of each existing key.
SELECT j.Kind, j.Hash, i.Id
FROM (SELECT json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Hash') AS Hash FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON j.Kind = 'unique' AND i.UniqueKey = j.Hash
UNION ALL
SELECT j.Kind, j.Hash, i.Id
FROM (SELECT json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Hash') AS Hash FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON j.Kind = 'content' AND i.ContentKey = j.Hash AND i.State NOT BETWEEN 2 AND 3
UNION ALL
SELECT j.Kind, j.Hash, i.Id
FROM (SELECT json_extract(value, '$.Kind') AS Kind, json_extract(value, '$.Hash') AS Hash FROM jsonb_each(@rows)) j
JOIN BotWorkQueueItems i ON j.Kind = 'timed' AND i.TimedKey = j.Hash AND i.TimedUntil > {{now}};
