-- alert_remove: remove alerts, in the transaction of an evaluation, which then adds those that it keeps.
-- In:  rows [{Hash}]
DELETE FROM "BotAlerts"
WHERE "KeyHash" IN (SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text));
