DELETE FROM "BotAlerts"
WHERE "KeyHash" IN (SELECT j."Hash" FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text));
