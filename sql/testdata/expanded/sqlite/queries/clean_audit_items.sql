DELETE FROM BotAuditItems
WHERE Id IN (
    SELECT i.Id FROM BotAuditLog c
    CROSS JOIN BotAuditItems i
    WHERE c.At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND i.AuditId = c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
