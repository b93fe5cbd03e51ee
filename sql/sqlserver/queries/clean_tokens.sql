-- clean_tokens: remove tokens that were revoked or have expired longer ago than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotTokens t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE (RevokedAt <= {{now_minus ms=CAST(@age_ms AS BIGINT)}} OR ExpiresAt <= {{now_minus ms=CAST(@age_ms AS BIGINT)}}) AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotTokens c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE (c.RevokedAt <= {{now_minus ms=CAST(@age_ms AS BIGINT)}} OR c.ExpiresAt <= {{now_minus ms=CAST(@age_ms AS BIGINT)}})
    ORDER BY c.Id);
