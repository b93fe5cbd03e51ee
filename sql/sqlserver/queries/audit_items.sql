-- audit_items: add items to an entry of the audit log, in the transaction that changes them.
-- In:  audit, rows [{ItemId, Was, Became}]; Was and Became are JSON objects, NULL for none
INSERT INTO BotAuditItems (AuditId, ItemId, Before, After)
SELECT @audit, j.ItemId, j.Was, j.Became
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Was NVARCHAR(MAX) '$.Was', Became NVARCHAR(MAX) '$.Became') j;
