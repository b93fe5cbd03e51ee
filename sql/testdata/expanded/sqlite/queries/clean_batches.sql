DELETE FROM BotBatches
WHERE CreatedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND Id IN (
    SELECT c.Id FROM BotBatches c
    WHERE c.CreatedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    ORDER BY c.CreatedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
