-- clean_requests: remove requests for runs that have reached an age and whose run is removed.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotRunRequests
WHERE Id IN (
    SELECT c.Id FROM BotRunRequests c
    WHERE c.RequestedAt <= {{now_minus ms=@age_ms}} AND c.ExpiresAt <= {{now_minus ms=@age_ms}}
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WHERE r.Id = c.RunId)
    ORDER BY c.RequestedAt, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
