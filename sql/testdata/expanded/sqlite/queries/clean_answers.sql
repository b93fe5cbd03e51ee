DELETE FROM BotApiAnswers
WHERE At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND Id IN (
    SELECT c.Id FROM BotApiAnswers c
    WHERE c.At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    ORDER BY c.At, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
