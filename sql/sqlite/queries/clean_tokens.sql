-- clean_tokens: remove tokens that were revoked or have expired longer ago than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotTokens
WHERE (RevokedAt <= {{now_minus ms=@age_ms}} OR ExpiresAt <= {{now_minus ms=@age_ms}}) AND Id IN (
    SELECT c.Id FROM BotTokens c
    WHERE (c.RevokedAt <= {{now_minus ms=@age_ms}} OR c.ExpiresAt <= {{now_minus ms=@age_ms}})
    ORDER BY c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
