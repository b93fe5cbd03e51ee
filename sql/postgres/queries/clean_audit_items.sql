-- clean_audit_items: remove the items of entries of the audit log that are older than an age: an entry
-- may have very many, so its items go first, in batches.
-- In:  age_ms, limit_rows, now (NULL: the database clock)
DELETE FROM "BotAuditItems"
WHERE "Id" = ANY (ARRAY(
    SELECT i."Id" FROM "BotAuditLog" c
    JOIN "BotAuditItems" i ON i."AuditId" = c."Id"
    WHERE c."At" <= {{now_minus ms=CAST(@age_ms AS bigint)}}
    LIMIT @limit_rows
    FOR UPDATE OF i SKIP LOCKED));
