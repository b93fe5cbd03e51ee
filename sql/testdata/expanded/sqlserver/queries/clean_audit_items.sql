DELETE FROM BotAuditItems
WHERE Id IN (
    SELECT TOP (@limit_rows) i.Id FROM BotAuditItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    JOIN BotAuditLog c ON c.Id = i.AuditId
    WHERE c.At <= DATEADD(millisecond, -(@age_ms % 1000), DATEADD(second, -(@age_ms / 1000), COALESCE(CAST(@now AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))))
    ORDER BY i.AuditId, i.Id);
