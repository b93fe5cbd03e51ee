-- clean_requests: remove requests for runs that have reached an age and whose run is removed.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotRunRequests t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotRunRequests c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.RequestedAt <= {{now_minus ms=@age_ms}} AND c.ExpiresAt <= {{now_minus ms=@age_ms}}
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WITH (READPAST, READCOMMITTEDLOCK) WHERE r.Id = c.RunId)
    ORDER BY c.RequestedAt, c.Id);
