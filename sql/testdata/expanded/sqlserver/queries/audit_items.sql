INSERT INTO BotAuditItems (AuditId, ItemId, Before, After)
SELECT @audit, j.ItemId, j.Was, j.Became
FROM OPENJSON(@rows) WITH (ItemId BIGINT '$.ItemId', Was NVARCHAR(MAX) '$.Was', Became NVARCHAR(MAX) '$.Became') j;
