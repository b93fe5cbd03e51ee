-- free_timed_keys: free expired keys.
-- In:  rows [{Hash}], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE TimedKey IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j)
  AND (TimedUntil IS NULL OR TimedUntil <= {{now}});
