-- clean_audit_items: remove the items of entries of the audit log that are older than an age: an entry
-- may have very many, so its items go first, in batches.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM BotAuditItems
WHERE Id IN (
    SELECT i.Id FROM BotAuditLog c
    CROSS JOIN BotAuditItems i
    WHERE c.At <= {{now_minus ms=@age_ms}} AND i.AuditId = c.Id
    LIMIT CAST(@limit_rows AS INTEGER));
