-- key_holders: the items that have the keys.
-- In:  rows [{Kind, Hash}], now (NULL: the database clock)
-- Out: kind, hash and id of each existing key.
SELECT j."Kind", j."Hash", i."Id"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Kind" text, "Hash" text)
JOIN "BotWorkQueueItems" i ON j."Kind" = 'unique' AND i."UniqueKey" = j."Hash"
UNION ALL
SELECT j."Kind", j."Hash", i."Id"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Kind" text, "Hash" text)
JOIN "BotWorkQueueItems" i ON j."Kind" = 'content' AND i."ContentKey" = j."Hash" AND i."State" IN (0, 1, 4, 5)
UNION ALL
SELECT j."Kind", j."Hash", i."Id"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Kind" text, "Hash" text)
JOIN "BotWorkQueueItems" i ON j."Kind" = 'timed' AND i."TimedKey" = j."Hash" AND i."TimedUntil" > {{now}};
