DELETE FROM BotForecasts
WHERE MadeAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND Id IN (
    SELECT c.Id FROM BotForecasts c
    WHERE c.MadeAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    ORDER BY c.MadeAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
