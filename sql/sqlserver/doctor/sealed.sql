-- sealed: how the sealed texts among the newest items begin, which tells their key.
-- Out: the first 23 signs, each once.
SELECT DISTINCT SUBSTRING(COALESCE(i.Payload, i.Output, i.Metadata), 1, 23)
FROM (SELECT TOP (1000) q.Payload, q.Output, q.Metadata, q.Encrypted FROM BotWorkQueueItems q ORDER BY q.Id DESC) i
WHERE i.Encrypted = 1 AND COALESCE(i.Payload, i.Output, i.Metadata) LIKE N'botwork:sealed:%';
