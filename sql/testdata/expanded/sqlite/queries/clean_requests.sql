DELETE FROM BotRunRequests
WHERE Id IN (
    SELECT c.Id FROM BotRunRequests c
    WHERE c.RequestedAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND c.ExpiresAt <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Id = c.RunId)
    ORDER BY c.RequestedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
