-- clean_audit: remove entries of the audit log that are older than an age and whose items are removed.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotAuditLog t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE At <= {{now_minus ms=@age_ms}} AND Id IN (
    SELECT TOP (@limit_rows) c.Id FROM BotAuditLog c WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE c.At <= {{now_minus ms=@age_ms}}
      AND NOT EXISTS (SELECT 1 FROM BotAuditItems i WHERE i.AuditId = c.Id)
    ORDER BY c.At, c.Id);
