INSERT INTO "BotAuditItems" ("AuditId", "ItemId", "Before", "After")
SELECT CAST(@audit AS bigint), j."ItemId", j."Was", j."Became"
FROM json_to_recordset(CAST(@rows AS json)) AS j("ItemId" bigint, "Was" text, "Became" text);
