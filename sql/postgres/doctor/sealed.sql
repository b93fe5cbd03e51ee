-- sealed: how the sealed texts among the newest items begin, which tells their key.
-- Out: the first 23 signs, each once.
SELECT DISTINCT substr(COALESCE(i."Payload", i."Output", i."Metadata"), 1, 23)
FROM (SELECT "Payload", "Output", "Metadata", "Encrypted" FROM "BotWorkQueueItems" ORDER BY "Id" DESC LIMIT 1000) i
WHERE i."Encrypted" AND COALESCE(i."Payload", i."Output", i."Metadata") LIKE 'botwork:sealed:%';
