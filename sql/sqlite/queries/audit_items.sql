-- audit_items: add items to an entry of the audit log, in the transaction that changes them.
-- In:  audit, rows [{ItemId, Was, Became}]; Was and Became are JSON objects, NULL for none
INSERT INTO BotAuditItems (AuditId, ItemId, Before, After)
SELECT @audit, json_extract(value, '$.ItemId'), json_extract(value, '$.Was'), json_extract(value, '$.Became')
FROM json_each(@rows);
