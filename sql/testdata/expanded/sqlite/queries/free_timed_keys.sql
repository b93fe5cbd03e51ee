UPDATE BotWorkQueueItems SET
    TimedKey = NULL,
    TimedUntil = NULL
WHERE TimedKey IN (SELECT json_extract(value, '$.Hash') FROM jsonb_each(@rows))
  AND (TimedUntil IS NULL OR TimedUntil <= COALESCE(@now, strftime('%Y-%m-%d %H:%M:%f', 'now')));
