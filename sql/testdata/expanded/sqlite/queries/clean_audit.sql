DELETE FROM BotAuditLog
WHERE At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0)) AND Id IN (
    SELECT c.Id FROM BotAuditLog c
    WHERE c.At <= strftime('%Y-%m-%d %H:%M:%f', COALESCE(@now, 'now'), printf('%+.3f seconds', -@age_ms / 1000.0))
      AND NOT EXISTS (SELECT 1 FROM BotAuditItems i WHERE i.AuditId = c.Id)
    ORDER BY c.At, c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
