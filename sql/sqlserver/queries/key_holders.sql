-- key_holders: the items that have the keys.
-- In:  rows [{Kind, Hash}], now (NULL: the database clock)
-- Out: kind, hash and id of each existing key.
SELECT j.Kind, j.Hash, i.Id
FROM OPENJSON(@rows) WITH (Kind NVARCHAR(20) '$.Kind', Hash NVARCHAR(64) '$.Hash') j
JOIN BotWorkQueueItems i ON i.UniqueKey = j.Hash
WHERE j.Kind = N'unique'
UNION ALL
SELECT j.Kind, j.Hash, i.Id
FROM OPENJSON(@rows) WITH (Kind NVARCHAR(20) '$.Kind', Hash NVARCHAR(64) '$.Hash') j
JOIN BotWorkQueueItems i ON i.ContentKey = j.Hash
WHERE j.Kind = N'content' AND i.State IN (0, 1, 4, 5)
UNION ALL
SELECT j.Kind, j.Hash, i.Id
FROM OPENJSON(@rows) WITH (Kind NVARCHAR(20) '$.Kind', Hash NVARCHAR(64) '$.Hash') j
JOIN BotWorkQueueItems i ON i.TimedKey = j.Hash
WHERE j.Kind = N'timed' AND i.TimedUntil > {{now}};
