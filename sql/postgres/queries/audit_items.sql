-- audit_items: add items to an entry of the audit log, in the transaction that changes them.
-- In:  audit, rows [{ItemId, Was, Became}]; Was and Became are JSON objects, NULL for none
INSERT INTO "BotAuditItems" ("AuditId", "ItemId", "Before", "After")
SELECT CAST(@audit AS bigint), j."ItemId", j."Was", j."Became"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Was" text, "Became" text);
