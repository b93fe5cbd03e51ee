-- alert_remove: remove alerts, in the transaction of an evaluation, which then adds those that it keeps.
-- In:  rows [{Hash}]
DELETE FROM BotAlerts
WHERE KeyHash IN (SELECT j.Hash FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash') j);
