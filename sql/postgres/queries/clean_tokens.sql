-- clean_tokens: remove tokens that were revoked or have expired longer ago than an age.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotTokens"
WHERE ("RevokedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} OR "ExpiresAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}}) AND "Id" = ANY (ARRAY(
    SELECT c."Id" FROM "BotTokens" c
    WHERE (c."RevokedAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}} OR c."ExpiresAt" <= {{now_minus ms=CAST(@age_ms AS bigint)}})
    ORDER BY c."Id"
    LIMIT @limit_rows
    FOR UPDATE SKIP LOCKED));
