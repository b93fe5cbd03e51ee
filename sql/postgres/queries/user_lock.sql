-- user_lock: refuse further attempts to sign in for a time.
-- In:  id, lock_ms, now (NULL: the database clock)
UPDATE "BotUsers" SET "LockedUntil" = {{now_plus ms=CAST(@lock_ms AS bigint)}}
WHERE "Id" = @id;
