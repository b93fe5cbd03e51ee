DELETE FROM BotRunRequests
WHERE Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotRunRequests c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.RequestedAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND c.ExpiresAt <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND NOT EXISTS (SELECT 1 FROM BotPipelineRuns r WITH (READPAST, READCOMMITTEDLOCK) WHERE r.Id = c.RunId)
    ORDER BY c.RequestedAt, c.Id);
