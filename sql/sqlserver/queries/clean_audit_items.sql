-- clean_audit_items: remove the items of entries of the audit log that are older than an age: an entry
-- may have very many, so its items go first, in batches.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE t
FROM BotAuditItems t WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
WHERE Id IN (
    SELECT TOP (@limit_rows) i.Id FROM BotAuditItems i WITH (UPDLOCK, READPAST, READCOMMITTEDLOCK, ROWLOCK)
    JOIN BotAuditLog c ON c.Id = i.AuditId
    WHERE c.At <= {{now_minus ms=@age_ms}}
    ORDER BY i.AuditId, i.Id);
