INSERT INTO BotAuditItems (AuditId, ItemId, Before, After)
SELECT @audit, json_extract(value, '$.ItemId'), json_extract(value, '$.Was'), json_extract(value, '$.Became')
FROM json_each(@rows);
