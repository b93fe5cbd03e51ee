DELETE FROM BotAuditLog
WHERE At <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3))))) AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotAuditLog c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.At <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
      AND NOT EXISTS (SELECT 1 FROM BotAuditItems i WHERE i.AuditId = c.Id)
    ORDER BY c.At, c.Id);
