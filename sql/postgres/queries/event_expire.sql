-- event_expire: remove events that no evaluation has read for long.
-- In:  age_ms, now (NULL: the database clock)
DELETE FROM "BotEvents"
WHERE "At" <= {{now_minus ms=CAST(@age_ms AS bigint)}};
