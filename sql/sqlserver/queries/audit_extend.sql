-- audit_extend: add to the entry of an operation that changes items in several transactions, in the
-- transaction of the change. An entry about several items names none as its target.
-- In:  operation, action, target, changed
-- Out: the id of the entry; no row if the operation has none yet.
UPDATE BotAuditLog SET
    Changed = Changed + @changed,
    Target = CASE WHEN Target = CAST(@target AS NVARCHAR(450)) THEN Target ELSE N'' END
OUTPUT inserted.Id
WHERE Operation = CAST(@operation AS NVARCHAR(450)) AND Action = CAST(@action AS NVARCHAR(450));
