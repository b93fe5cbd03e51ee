-- free_timed_keys: free expired keys.
-- In:  rows [{Hash}], now (NULL: the database clock)
UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE TimedKey IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows))
  AND (TimedUntil IS NULL OR TimedUntil <= {{now}});
