DELETE FROM BotPipelineTexts
WHERE UsedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND Id IN (
    SELECT c.Id FROM BotPipelineTexts c
    WHERE c.UsedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
    ORDER BY c.UsedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
