DELETE FROM BotTokens
WHERE (RevokedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) OR ExpiresAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))) AND Id IN (
    SELECT c.Id FROM BotTokens c
    WHERE (c.RevokedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) OR c.ExpiresAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)))
    ORDER BY c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
