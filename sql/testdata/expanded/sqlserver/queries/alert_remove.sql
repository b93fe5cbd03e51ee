DELETE FROM BotAlerts
WHERE KeyHash IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j);
